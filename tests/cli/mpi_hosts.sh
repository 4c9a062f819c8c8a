#!/usr/bin/env bash
# `--backend mpi` on three hosts: three network namespaces, each with its own name and its own address on a bridge, so that
# ranks reach each other over TCP only. Every rank sends what is predicted, on whichever host it is, and a rank that is
# killed or stands still on another host ends the run. Needs no privilege where user namespaces are allowed; skipped, with
# the reason, where they are not.
set -u

skip() {
    echo "skipped: $1"
    exit 77
}

program=${SHARDLAB_BIN:?}
if [ "${1:-}" != inside ]; then
    command -v mpirun >/dev/null 2>&1 || skip "there is no mpirun"
    [ -e "$(dirname "$program")/libshardlab_mpi.so" ] || skip "the program was built without MPI"
    mpirun --version 2>&1 | grep -q 'Open MPI' || skip "the launcher is not Open MPI's, whose options are used here"
    command -v ip >/dev/null 2>&1 || skip "there is no ip (Debian: iproute2)"
    reason=$(unshare --user --map-root-user --net --uts --mount true 2>&1) ||
        skip "namespaces are not allowed here: $reason"
    exec unshare --user --map-root-user --net --uts --mount bash "$0" inside
fi

folder=$(mktemp -d)
hosts=()
finish() {
    [ "${#hosts[@]}" -eq 0 ] || kill "${hosts[@]}" 2>/dev/null
    rm -rf "$folder"
}
trap finish EXIT
faults=0

fault() {
    echo "FAULT: $1"
    faults=$((faults + 1))
}

# The switch, and three hosts on it. 192.0.2.0/24 is set aside for examples.
reason=$(ip link add switch type bridge 2>&1) || skip "no bridge can be made here: $reason"
ip address add 192.0.2.254/24 dev switch
ip link set switch up
ip link set lo up
for n in 1 2 3; do
    unshare --net --uts sleep 600 &
    hosts+=($!)
    pid=${hosts[n - 1]}
    for _ in $(seq 100); do
        [ "$(readlink "/proc/$pid/ns/net")" != "$(readlink /proc/self/ns/net)" ] && break
        sleep 0.02
    done
    ip link add "port$n" type veth peer name eth0 netns "$pid" || skip "no link between namespaces can be made here"
    ip link set "port$n" master switch up
    nsenter --target "$pid" --net --uts sh -c \
        "hostname host$n; ip link set lo up; ip address add 192.0.2.$n/24 dev eth0; ip link set eth0 up"
    mkdir "$folder/host$n"
done

# What the launcher takes for ssh: HOST COMMAND…, run on that host with a folder of its own for temporary files.
cat >"$folder/remote" <<EOF
#!/usr/bin/env bash
pids=(${hosts[*]})
n=\${1##*.}
shift
exec nsenter --target "\${pids[n - 1]}" --net --uts env TMPDIR="$folder/host\$n" sh -c "\$*"
EOF
chmod +x "$folder/remote"

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 TMPDIR=$folder
# MPI itself keeps memory until the process ends, and is not instrumented.
export ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0"
launch=(mpirun --oversubscribe --mca plm_rsh_agent "$folder/remote" --mca btl 'tcp,self'
    --mca btl_tcp_if_include 192.0.2.0/24 --mca oob_tcp_if_include 192.0.2.0/24 -x ASAN_OPTIONS)

# on HOSTS RANKS COMMAND…: leaves out, err and the status.
on() {
    local names=$1 ranks=$2
    shift 2
    timeout 90 "${launch[@]}" --host "$names" -n "$ranks" "$@" >"$folder/out" 2>"$folder/err" </dev/null
    status=$?
}
three=192.0.2.1:2,192.0.2.2:2,192.0.2.3:2

on "$three" 3 --map-by node hostname
[ "$status" -eq 0 ] || skip "mpirun cannot start on namespaces here: $(head -n 3 "$folder/err")"
[ "$(sort "$folder/out" | tr '\n' ' ')" = 'host1 host2 host3 ' ] || fault "not on three hosts: $(cat "$folder/out")"

# received: bytes that came over the link of host 3 until now.
received() {
    nsenter --target "${hosts[2]}" --net sed -n 's/^ *eth0: *\([0-9]*\).*/\1/p' /proc/net/dev
}

# Chunks of 1,000,003 elements on 3 ranks: 333,335, 333,334 and 333,334. A rank of the ring leaves out its own chunk in one
# half and its neighbour's in the other; directly it sends every other chunk once and its own sum twice.
while read -r ranks algorithm bytes; do
    before=$(received)
    on "$three" "$ranks" --map-by node "$program" allreduce --backend mpi --lang en --algorithm "$algorithm" \
        --elems 1000003 --json
    [ "$status" -eq 0 ] || fault "$algorithm on $ranks: status $status: $(head -n 3 "$folder/err")"
    grep -q '"match":true' "$folder/out" || fault "$algorithm on $ranks: $(head -c 300 "$folder/out")"
    [ "$(grep -o "\"sent_bytes_per_rank\":\[$bytes\]" "$folder/out" | grep -c .)" -eq 2 ] ||
        fault "$algorithm on $ranks: $bytes were not both predicted and measured: $(head -c 900 "$folder/out")"
    [ $(($(received) - before)) -gt 1000000 ] || fault "$algorithm on $ranks: nothing came over the link of host 3"
done <<'RUNS'
3 ring 5333348,5333352,5333348
4 ring 6000016,6000016,6000020,6000020
3 direct 5333352,5333348,5333348
RUNS

# left: processes of the program on any of the hosts.
left() {
    local process
    for process in /proc/[0-9]*; do
        { tr "\0" " " <"$process/cmdline"; } 2>/dev/null | grep -q 'allreduce --backend mpi' || continue
        for host in "${hosts[@]}"; do
            [ "$(readlink "$process/ns/net")" = "$(readlink "/proc/$host/ns/net")" ] && echo "${process#/proc/}"
        done
    done
}

# ends WHAT COMMAND…: a long run, in the middle of which COMMAND happens, ends with a status and leaves nothing behind.
ends() {
    local what=$1 launcher
    shift
    timeout 60 "${launch[@]}" --host "$three" -n 3 --map-by node "$program" allreduce --backend mpi --lang en \
        --elems 100 --repeat 1000000 --timeout 1 --events >"$folder/events" 2>"$folder/err" </dev/null &
    launcher=$!
    for _ in $(seq 200); do
        grep -q '"event":"repeat"' "$folder/events" && break
        sleep 0.05
    done
    grep -q '"event":"repeat"' "$folder/events" || fault "$what: the run never began"
    "$@"
    wait "$launcher"
    status=$?
    case $status in 0 | 124) fault "$what: status $status" ;; esac
    for _ in $(seq 100); do
        [ -z "$(left)" ] && return 0
        sleep 0.05
    done
    fault "$what: left over: $(left)"
}
signal_rank() {
    kill "$1" "$(sed -n 's/.*"event":"rank","rank":2,"process":\([0-9]*\)}.*/\1/p' "$folder/events" | head -n 1)"
}
ends 'a rank that is killed on host 3' signal_rank -KILL
ends 'a rank that stands still on host 3' signal_rank -STOP
grep -q 'waited for 1 s' "$folder/err" || fault "the wait for a rank on another host is named: $(head -n 5 "$folder/err")"

[ "$faults" -eq 0 ]
