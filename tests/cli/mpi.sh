#!/usr/bin/env bash
# `--backend mpi` under a real launcher: every collective and algorithm sends what is predicted, rank 0 alone prints, another
# --ranks than was started is refused, and a rank that is killed or stands still ends the run. Skipped where there is no
# mpirun or no module. Running as root and on fewer cores than ranks is allowed here, for Open MPI, and nowhere else.
set -u

program=${SHARDLAB_BIN:?}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
faults=0

skip() {
    echo "skipped: $1"
    exit 77
}

command -v mpirun >/dev/null 2>&1 || skip "there is no mpirun"
[ -e "$(dirname "$program")/libshardlab_mpi.so" ] || skip "the program was built without MPI"

launch=(mpirun)
if mpirun --version 2>&1 | grep -q 'Open MPI'; then
    launch+=(--oversubscribe --allow-run-as-root)
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
fi
# MPI itself keeps memory until the process ends, and is not instrumented.
export ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0"
"${launch[@]}" -n 2 true >"$folder/out" 2>&1 || skip "mpirun cannot start two processes here: $(head -n 1 "$folder/out")"

fault() {
    echo "FAULT: $1"
    faults=$((faults + 1))
}

# mpi RANKS ARGUMENT...: leaves out, err and the status.
mpi() {
    local ranks=$1
    shift
    timeout 60 "${launch[@]}" -n "$ranks" "$program" allreduce --backend mpi --lang en "$@" \
        >"$folder/out" 2>"$folder/err"
    status=$?
}

# matches WHAT: one answer, and all that was predicted is what was measured.
matches() {
    local bytes
    [ "$status" -eq 0 ] || fault "$1: status $status: $(head -n 3 "$folder/err")"
    [ "$(grep -c . "$folder/out")" -eq 1 ] || fault "$1: not one line: $(head -c 400 "$folder/out")"
    grep -q '"match":true' "$folder/out" || fault "$1: does not match: $(head -c 400 "$folder/out")"
    bytes=$(grep -o '"sent_bytes_per_rank":\[[^]]*\]' "$folder/out" | sort -u | grep -c .)
    [ "$bytes" -eq 1 ] || fault "$1: other bytes than predicted"
}

mpi 4 --algorithm ring --elems 1000003 --json
matches 'a ring of four'
grep -q '"sent_bytes_per_rank":\[6000016,6000016,6000020,6000020\]' "$folder/out" || fault 'a ring of four: bytes'
grep -q '"ranks":4,' "$folder/out" || fault 'the ranks are those of the launcher'

while read -r collective algorithm; do
    mpi 3 --collective "$collective" --algorithm "$algorithm" --elems 1002 --repeat 2 --type bf16 --json
    matches "$collective by $algorithm"
done <<'PAIRS'
all-reduce naive
all-reduce tree
all-reduce halving-doubling
all-reduce direct
reduce-scatter ring
all-gather halving-doubling
broadcast tree
all-to-all direct
PAIRS

for elements in 0 1 5; do
    mpi 5 --elems "$elements" --repeat 3 --json
    matches "$elements elements on five ranks"
done
mpi 1 --elems 10 --json
matches 'one rank'

mpi 2 --elems 7 --algorithm ring --trace --json
[ "$(grep -o '"step":' "$folder/out" | grep -c .)" -eq 4 ] || fault 'a trace has the messages of all ranks'

mpi 2 --ranks 5
if [ "$status" -eq 0 ] || [ -s "$folder/out" ]; then
    fault "--ranks 5 of 2: status $status"
fi
[ "$(grep -c -- '--ranks 5, but the launcher started 2' "$folder/err")" -eq 1 ] || fault '--ranks 5 is refused once'

# The peer of the bench, alone and asked for by the bench.
peer=$(dirname "$program")/shardlab-mpi-peer
timeout 60 "${launch[@]}" -n 2 "$peer" 4:3:2 4096:3:1 >"$folder/out" 2>"$folder/err" || fault 'the peer fails'
[ "$(grep -cE '^(4|4096) [0-9.e-]+ [0-9.e-]+$' "$folder/out")" -eq 2 ] || fault "the peer says: $(cat "$folder/out")"
timeout 100 "$program" bench collectives 64KiB --repeat 1 --json >"$folder/out" || fault 'the bench fails'
grep -q '"peer":{"name":"MPI_Allreduce","library":"' "$folder/out" || fault 'the bench has no peer'
grep -q '"time_over_peer":{"warm":[0-9]' "$folder/out" || fault 'the bench has no ratio to its peer'
[ "$(grep -o '"what":"mpi [a-z]*",[^{]*"time_s":{"warm_s":[0-9]' "$folder/out" | grep -c .)" -eq 24 ] || fault 'the bench has not our own ways over MPI'
# The same, started by hand: rank 0 alone answers.
timeout 60 "${launch[@]}" -n 3 "$program" bench mpi 1KiB --repeat 1 --json >"$folder/out" 2>"$folder/err" || fault 'bench mpi fails'
[ "$(grep -c . "$folder/out")" -eq 1 ] || fault 'bench mpi: not one line'
[ "$(grep -o '"ranks":3,' "$folder/out" | grep -c .)" -eq 6 ] || fault 'bench mpi: not three ways of two sizes'

# Without a launcher.
"$program" allreduce --backend mpi --lang en >"$folder/out" 2>"$folder/err"
if [ $? -ne 1 ] || [ -s "$folder/out" ] || ! grep -q 'mpirun -n 4' "$folder/err"; then
    fault 'without a launcher it says how to start'
fi

# ends SIGNAL OPTION...: rank 1 gets the signal while it runs; the run ends with a status, and no rank is left.
ends() {
    local signal=$1 launcher victim=
    shift
    timeout 60 "${launch[@]}" -n 3 "$program" allreduce --backend mpi --elems 100 --repeat 1000000 --events "$@" \
        >"$folder/events" 2>"$folder/err" &
    launcher=$!
    for _ in $(seq 200); do
        victim=$(sed -n 's/.*"event":"rank","rank":1,"process":\([0-9]*\)}.*/\1/p' "$folder/events")
        [ -n "$victim" ] && grep -q '"event":"repeat"' "$folder/events" && break
        sleep 0.05
    done
    [ -n "$victim" ] || fault "$signal: rank 1 never began"
    kill "-$signal" "$victim"
    wait "$launcher"
    status=$?
    case $status in 0 | 124) fault "$signal: status $status" ;; esac
    for _ in $(seq 60); do
        kill -0 "$victim" 2>/dev/null || return 0
        sleep 0.05
    done
    kill -KILL "$victim"
    fault "$signal: rank 1 is still there"
}
ends KILL
ends STOP --timeout 0.5
grep -q 'waited for 0.5 s' "$folder/err" || fault "a rank that stands still is named: $(head -n 5 "$folder/err")"

[ "$faults" -eq 0 ]
