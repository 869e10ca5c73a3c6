#!/usr/bin/env python3
# Peak memory of each rank of a run that starts from N random points, for several numbers of ranks.
#
#   bench/distributed/memory.py build/apps/tessera CAPTURE --points 2000000 --ranks 1 2 4
#
# The points fill the box that holds the middle 80 % of the points of the capture (COLMAP's
# sparse/0/points3D.bin). Ranks are processes that mpirun starts, each under /usr/bin/time.
# SPDX-License-Identifier: MIT
import argparse
import array
import os
import random
import re
import struct
import subprocess
import tempfile

POINT_HEADER = struct.Struct("<QdddBBBdQ")


def captured_points(path):
    with open(path, "rb") as file:
        (count,) = struct.unpack("<Q", file.read(8))
        points = []
        for _ in range(count):
            record = POINT_HEADER.unpack(file.read(POINT_HEADER.size))
            points.append(record[1:4])
            file.seek(8 * record[8], os.SEEK_CUR)
        return points


def write_points(path, points, count):
    spans = []
    for axis in range(3):
        values = sorted(p[axis] for p in points)
        spans.append((values[len(values) // 10], values[len(values) * 9 // 10]))
    numbers = random.Random(1)
    with open(path, "wb") as file:
        file.write(b"ply\nformat binary_little_endian 1.0\nelement vertex %d\n" % count)
        file.write(b"property float x\nproperty float y\nproperty float z\nend_header\n")
        for _ in range(0, count, 10000):
            rows = array.array("f")
            for _ in range(10000):
                rows.extend(low + (high - low) * numbers.random() for low, high in spans)
            rows.tofile(file)


def peaks_of(arguments, points, ranks, folder):
    command = [arguments.program, "reconstruct", arguments.capture, "--init-ply", points,
               "-o", os.path.join(folder, "out"), "--force", "-r", "4", "-n",
               str(arguments.steps), "--batch", str(arguments.batch), "--threads", "1",
               "--test-every", "8", "--eval"]
    start = ["/usr/bin/time", "-f", "peak %M KB, %e s"] + command
    if ranks > 1:
        start = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", str(ranks)] + start
    done = subprocess.run(start, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(done.stderr[-2000:])
    planned = re.search(r"([0-9.]+ [MG]B) of memory", done.stdout)
    found = re.findall(r"peak (\d+) KB, ([0-9.]+) s", done.stderr)
    return planned.group(1), sorted(int(kb) for kb, _ in found), max(float(s) for _, s in found)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("capture")
    parser.add_argument("--points", type=int, default=2000000, help="in tens of thousands")
    parser.add_argument("--ranks", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--batch", type=int, default=1)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        points = os.path.join(folder, "points.ply")
        captured = captured_points(os.path.join(arguments.capture, "sparse/0/points3D.bin"))
        write_points(points, captured, arguments.points)
        print("| ranks | planned | peak of the ranks, MB | seconds |\n|---|---|---|---|")
        for ranks in arguments.ranks:
            planned, peaks, seconds = peaks_of(arguments, points, ranks, folder)
            text = ", ".join(f"{kb * 1024 / 1e6:.0f}" for kb in peaks)
            print(f"| {ranks} | {planned} | {text} | {seconds:.0f} |", flush=True)


if __name__ == "__main__":
    main()
