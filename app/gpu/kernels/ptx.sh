#!/usr/bin/env bash
# Writes the kernels as PTX to standard output: kernels/ptx.sh >kernels/shardlab.ptx. Nothing of CUDA is needed, only clang
# with its NVPTX back end, as Debian has it. PTX 6.0 for sm_50 is taken by every driver in use, which translates it for the
# card. The first line names what it was made from; tests/arch/ptx.sh looks whether that still holds.
set -eu -o pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
hash=$(cat "$here/cuda.h" "$here/shardlab.cl" | sha256sum | cut -c 1-16)
version=$("${CLANG:-clang}" --version | sed -n 's/.*clang version \([0-9.]*\).*/\1/p')
printf '// shardlab.cl and cuda.h %s, clang %s\n' "$hash" "$version"
cd "$here"
"${CLANG:-clang}" --target=nvptx64-nvidia-cuda -x cl -cl-std=CL1.2 -Os -fno-unroll-loops -ffp-contract=off \
    -Xclang -target-feature -Xclang +ptx60 -Xclang -target-cpu -Xclang sm_50 -include cuda.h -S -o - shardlab.cl |
    grep -v '^//'
