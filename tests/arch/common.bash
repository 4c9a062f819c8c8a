# What the arch scripts share. A check is a function that prints `FILE:LINE: what is wrong` for each finding and
# nothing when all is well. Each script first plants a small bad tree and proves that its check finds the fault
# (must_find), then runs it on the real tree (settle).
# shellcheck shell=bash
# shellcheck disable=SC2034
set -u -o pipefail
export LC_ALL=C

arch_here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
arch_root=${ARCH_SOURCE:-$(cd "$arch_here/../.." && pwd)}
arch_scratch=$(mktemp -d)
trap 'rm -rf "$arch_scratch"' EXIT

# plant FILE: standard input becomes FILE of the scratch tree.
plant() {
    mkdir -p "$(dirname "$arch_scratch/$1")"
    cat >"$arch_scratch/$1"
}

# must_find TEXT CHECK [ARGUMENT...]: the check can fail, and says why.
must_find() {
    local want=$1 said
    shift
    said=$("$@" 2>&1)
    case $said in
        *"$want"*) ;;
        *)
            printf 'self-check: %s did not report "%s" but: %s\n' "$1" "$want" "$said"
            exit 1
            ;;
    esac
}

# must_pass CHECK [ARGUMENT...]: the check does not cry wolf.
must_pass() {
    local said
    said=$("$@" 2>&1)
    if [ -n "$said" ]; then
        printf 'self-check: %s complained about what is right: %s\n' "$1" "$said"
        exit 1
    fi
}

# settle CHECK [ARGUMENT...]: runs the check on the real tree and ends the script.
settle() {
    local said
    if ! said=$("$@" 2>&1); then
        printf '%s\n%s could not be carried out\n' "$said" "$1"
        exit 1
    fi
    if [ -n "$said" ]; then
        printf '%s\n' "$said"
        exit 1
    fi
    exit 0
}

# skip REASON: ctest shows the test as skipped, with the reason in its log.
skip() {
    printf 'skipped: %s\n' "$1"
    exit 77
}

# c_files ROOT FOLDER...: C sources and headers in those folders, relative to ROOT.
c_files() {
    local root=$1
    shift
    (cd "$root" && find "$@" -type f \( -name '*.c' -o -name '*.h' \) 2>/dev/null | sort)
}
