#!/usr/bin/env bash
# The kernels for CUDA: made from the texts that stand beside them, whole, without functions from elsewhere, and with every
# floating-point operation rounded on its own (an operation without .rn may be fused with the next). Where the clang that
# made them is installed they are made again and compared; where NVIDIA's assembler is, it has to take them.
# shellcheck source=common.bash
. "$(dirname "$0")/common.bash"

# check_ptx ROOT
check_ptx() {
    local kernels=$1/app/gpu/kernels hash made name
    hash=$(cat "$kernels/cuda.h" "$kernels/shardlab.cl" | sha256sum | cut -c 1-16)
    made=app/gpu/kernels/shardlab.ptx
    head -n 1 "$kernels/shardlab.ptx" | grep -q " $hash, clang " ||
        echo "$made:1: made from other texts: app/gpu/kernels/ptx.sh >$made makes it anew"
    sed -n 's/^__kernel void \([a-z0-9_]*\)(.*/\1/p' "$kernels/shardlab.cl" | while read -r name; do
        grep -q "^\.visible \.entry $name(" "$kernels/shardlab.ptx" || echo "$made:1: has no kernel $name"
    done
    grep -nE '^\.extern' "$kernels/shardlab.ptx" | sed "s|^\([0-9]*\):.*|$made:\1: a function from elsewhere|"
    grep -nE '(^|[^a-z])((add|sub|mul|div|sqrt)\.f(32|64)|fma\.|[a-z0-9.]*\.ftz)' "$kernels/shardlab.ptx" |
        sed "s|^\([0-9]*\):.*|$made:\1: not rounded on its own|"
    return 0
}

# made_again ROOT: differences from what the clang that made it makes.
made_again() {
    local kernels=$1/app/gpu/kernels version
    version=$(sed -n '1s/.*, clang //p' "$kernels/shardlab.ptx")
    if command -v clang >/dev/null && clang --version | grep -q "clang version $version\b"; then
        "$kernels/ptx.sh" | diff - "$kernels/shardlab.ptx" |
            sed -n '1s|.*|app/gpu/kernels/shardlab.ptx:1: clang makes another one|p'
    fi
}

# assembled ROOT: what NVIDIA's assembler has against it, for each kind of card that it knows of these.
assembled() {
    local card said
    if ! command -v ptxas >/dev/null; then
        return 0
    fi
    for card in sm_50 sm_60 sm_75 sm_80 sm_90 sm_100 sm_120; do
        if ! said=$(ptxas -arch="$card" -o /dev/null "$1/app/gpu/kernels/shardlab.ptx" 2>&1); then
            case $said in
                *'is not defined for option'*) ;;
                *) printf 'app/gpu/kernels/shardlab.ptx:1: %s: %s\n' "$card" "$said" ;;
            esac
        fi
    done
}

plant app/gpu/kernels/cuda.h <<<'int a;'
plant app/gpu/kernels/shardlab.cl <<<'__kernel void one(__global int *a) {'
plant app/gpu/kernels/shardlab.ptx <<'BAD'
// shardlab.cl and cuda.h 0123456789abcdef, clang 1.0
.extern .func other
	mul.f64 	%fd1, %fd2, %fd3;
	fma.rn.f32 	%f1, %f2, %f3, %f4;
BAD
for finding in 'shardlab.ptx:1: made from other texts' 'shardlab.ptx:1: has no kernel one' \
    'shardlab.ptx:2: a function from elsewhere' 'shardlab.ptx:3: not rounded' 'shardlab.ptx:4: not rounded'; do
    must_find "$finding" check_ptx "$arch_scratch"
done
if command -v ptxas >/dev/null; then
    must_find 'shardlab.ptx:1: sm_90: ' assembled "$arch_scratch"
fi

check_all() {
    check_ptx "$1"
    made_again "$1"
    assembled "$1"
}
settle check_all "$arch_root"
