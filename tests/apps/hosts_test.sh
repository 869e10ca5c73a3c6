#!/usr/bin/env bash
# hosts_test.sh PROGRAM SAMPLE
# One run over three hosts: network namespaces with names of their own, joined by a switch, so that
# ranks reach one another by TCP alone; the third has an old processor. It gives the scene of three
# ranks on one such machine, and a rank that is killed on one host ends the run on all.
# SPDX-License-Identifier: MIT
set -euo pipefail
program=$1
sample=$2

for tool in mpirun ip unshare; do
  if ! command -v $tool >/dev/null; then
    echo "skipped: $tool is not installed (openmpi-bin, iproute2, util-linux)"
    exit 77
  fi
done
if ! mpirun --version | grep -q "Open MPI\|OpenRTE"; then
  echo "skipped: hosts are started by Open MPI's launcher, which this mpirun is not"
  exit 77
fi

name=tessera-$$
folder=$(mktemp -d)
cleanup() {
  for host in 1 2 3; do
    ip netns pids $name-$host 2>/dev/null | xargs -r kill -9 || true
    ip netns del $name-$host 2>/dev/null || true
  done
  ip netns del $name-switch 2>/dev/null || true
  rm -rf "$folder"
}
trap cleanup EXIT

if ! ip netns add $name-switch 2>"$folder/refused"; then
  echo "skipped: network namespaces cannot be made here ($(cat "$folder/refused"))"
  exit 77
fi
ip -n $name-switch link add bridge type bridge
ip -n $name-switch link set bridge up
for host in 1 2 3; do
  ip netns add $name-$host
  ip -n $name-$host link set lo up
  ip -n $name-$host link add eth0 type veth peer name port$host netns $name-switch
  ip -n $name-$host address add 10.77.0.$host/24 dev eth0
  ip -n $name-$host link set eth0 up
  ip -n $name-switch link set port$host master bridge up
done

old=
if [ "$(uname -m)" = x86_64 ]; then old=TESSERA_ISA=sse4; fi

# on HOST COMMAND...
cat >"$folder/on" <<EOF
#!/bin/sh
host=\${1##*.}
shift
if [ \$host = 3 ] && [ -n "$old" ]; then export $old; fi
exec ip netns exec $name-\$host unshare --uts sh -c "hostname host\$host; \$*"
EOF
chmod +x "$folder/on"
export OMPI_MCA_plm_rsh_agent=$folder/on PRTE_MCA_plm_ssh_agent=$folder/on
export OMPI_MCA_plm_rsh_no_tree_spawn=1 PRTE_MCA_plm_ssh_no_tree_spawn=1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1

reconstruct="$program reconstruct $sample -r 8 --sh-degree 1 --seed 5 --batch 3 --threads 1"
on_hosts="mpirun --host 10.77.0.1,10.77.0.2,10.77.0.3 -n 3"
run() { timeout 300 "$folder/on" 10.77.0.1 "$on_hosts $reconstruct $*"; }

fail() {
  echo "FAILED: $1"
  tail -n 20 "$folder"/*.out
  exit 1
}

run -n 60 -o "$folder/hosts" >"$folder/hosts.out" 2>&1 || fail "the run on three hosts"
grep -q "3 ranks as the launcher's processes" "$folder/hosts.out" || fail "no word of three ranks"
[ -z "$old" ] || grep -q "by sse4 instructions" "$folder/hosts.out" || fail "no word of sse4"
env $old $reconstruct -n 60 -o "$folder/local" --ranks 3 >"$folder/local.out" 2>&1 || fail "the run on one"
cmp "$folder/hosts/scene.ply" "$folder/local/scene.ply" || fail "three hosts give another scene"

run -n 100000 --checkpoint-every 10 -o "$folder/killed" >"$folder/killed.out" 2>&1 &
runner=$!
for _ in $(seq 600); do
  if compgen -G "$folder/killed/checkpoints/*" >/dev/null; then break; fi
  sleep 0.1
done
ip netns pids $name-3 | while read -r process; do
  if grep -q "^tessera" "/proc/$process/comm"; then kill -9 "$process"; fi
done
if wait $runner; then fail "a run with a killed rank ended as if it were well"; fi
for host in 1 2 3; do
  for process in $(ip netns pids $name-$host); do
    if grep -q "^tessera" "/proc/$process/comm"; then fail "host $host still runs a rank"; fi
  done
done
$program reconstruct --resume -o "$folder/killed" -n 100 >"$folder/resumed.out" 2>&1 ||
  fail "resuming after the fault"
echo "three hosts gave the scene of one, and a rank killed on the third ended all"
