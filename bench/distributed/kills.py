#!/usr/bin/env python3
# kills.py PROGRAM CAPTURE [MOMENTS]
# Kills a rank of a run on three, chosen at random, at moments chosen at random from the start on,
# and asks each time: how long until all have left, is any left behind, what does the newest
# checkpoint hold, and do two ranks go on from it. Needs mpirun.
# SPDX-License-Identifier: MIT
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

RANKS = 3
CHECKPOINT_EVERY = 15
STEPS = 900  # of which the log tells every third
LATEST_S = 6


def processes_of(out):
    """Of each rank of the run that writes to `out`: its process."""
    found = {}
    for folder in pathlib.Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            words = (folder / "cmdline").read_bytes()
            variables = (folder / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        if os.fsencode(out) not in words or b"mpirun" in words:
            continue
        for variable in variables:
            name, _, value = variable.partition(b"=")
            if name in (b"OMPI_COMM_WORLD_RANK", b"PMIX_RANK"):
                found[int(value)] = int(folder.name)
    return found


def newest_checkpoint(out):
    steps = [int(re.sub(r"\D", "", path.name)) for path in out.glob("checkpoints/*[0-9]")]
    return max(steps, default=0)


def last_step(log):
    """Of the steps that were told before the kill: at most three of them are not."""
    if not log.exists():
        return 0
    return max((int(step) for step in re.findall(r'"event":"step".*?"step":(\d+)', log.read_text())), default=0)


def one_kill(program, capture, folder, draw):
    out = folder / "out"
    common = ["-o", str(out), "--ranks"]
    run = [program, "reconstruct", capture, "-r", "8", "--batch", "3", "-n", str(STEPS), "--threads", "1",
           "--checkpoint-every", str(CHECKPOINT_EVERY), "--json-log", str(folder / "log"), *common, str(RANKS)]
    moment, rank = draw.uniform(0, LATEST_S), draw.choice(range(RANKS))
    started = subprocess.Popen(run, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    while len(processes_of(out)) < RANKS:
        time.sleep(0.01)
    time.sleep(moment)
    os.kill(processes_of(out)[rank], signal.SIGKILL)
    killed = time.monotonic()
    code = started.wait(timeout=130)
    seconds = time.monotonic() - killed
    left = processes_of(out)
    shown, kept = last_step(folder / "log"), newest_checkpoint(out)
    lost = shown - kept
    resumed = "began anew"
    if (out / "run.json").exists():
        more = [program, "reconstruct", "--resume", *common, "2", "-n", str(kept + 30)]
        end = subprocess.run(more, capture_output=True, text=True, timeout=130)
        resumed = "went on" if end.returncode == 0 else "FAILED: " + end.stderr.strip()
        if kept > 0 and f"resumed after step {kept:,}" not in end.stdout:
            resumed = f"FAILED: not from step {kept}"
    good = code != 0 and not left and lost <= CHECKPOINT_EVERY and "FAILED" not in resumed
    print(f"{moment:8.2f} s{rank:6}{seconds:10.2f} s{len(left):6}{shown:8}{kept:8}   {resumed}", flush=True)
    return good


def main():
    if len(sys.argv) < 3:
        sys.exit("usage: kills.py PROGRAM CAPTURE [MOMENTS]")
    moments = int(sys.argv[3]) if len(sys.argv) > 3 else 20
    draw = random.Random(20)
    print(f"{'moment':>10}{'rank':>6}{'all left':>12}{'stay':>6}{'shown':>8}{'kept':>8}   with two ranks")
    good = 0
    for _ in range(moments):
        with tempfile.TemporaryDirectory() as folder:
            good += one_kill(sys.argv[1], sys.argv[2], pathlib.Path(folder), draw)
    print(f"{good} of {moments} as they should be")
    sys.exit(good != moments)


if __name__ == "__main__":
    main()
