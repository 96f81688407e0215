#!/bin/sh
# Starts a scheduler and three executors on this machine, and stops them with Ctrl-C.
#
#   deploy/local.sh [PATH/TO/tpq]
#
# EXECUTORS, TASKS and PORT change their number, the tasks of each, and the scheduler's port.
set -eu

tpq=${1:-tpq}
executors=${EXECUTORS:-3}
tasks=${TASKS:-2}
port=${PORT:-50050}

processes=
stop() {
    trap - INT TERM EXIT
    # Those that have ended already are no error.
    for process in $processes; do kill "$process" 2>/dev/null || true; done
    wait
}
trap stop INT TERM EXIT

"$tpq" cluster scheduler --bind "127.0.0.1:$port" &
processes=$!
number=0
while [ "$number" -lt "$executors" ]; do
    "$tpq" cluster executor --scheduler "127.0.0.1:$port" --tasks "$tasks" &
    processes="$processes $!"
    number=$((number + 1))
done
echo "cluster on 127.0.0.1:$port; Ctrl-C stops it" >&2
wait
