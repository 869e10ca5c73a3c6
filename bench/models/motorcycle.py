#!/usr/bin/env python3
"""Makes FOLDER/motorcycle for the photo3d table from the Debian package python3-skimage.

    motorcycle.py FOLDER [SKIMAGE_DATA]

left.png, right.png, and disparity.png: 16 bits, disparity times 256, 0 where it is unknown.
SKIMAGE_DATA is where motorcycle_disp.npz lies.
"""
# SPDX-License-Identifier: MIT
import array
import ast
import math
import pathlib
import shutil
import struct
import sys
import zipfile
import zlib


def read_npz(path):
    with zipfile.ZipFile(path) as archive:
        data = archive.read("arr_0.npy")
    length = struct.unpack_from("<H", data, 8)[0]
    header = ast.literal_eval(data[10:10 + length].decode())
    assert header["descr"] == "<f4" and not header["fortran_order"]
    return array.array("f", data[10 + length:]), header["shape"]


def write_png16(path, values, height, width):
    def chunk(name, data):
        return (struct.pack(">I", len(data)) + name + data
                + struct.pack(">I", zlib.crc32(name + data)))

    rows = b"".join(b"\0" + struct.pack(f">{width}H", *values[y * width:(y + 1) * width])
                    for y in range(height))
    path.write_bytes(b"\x89PNG\r\n\x1a\n"
                     + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 16, 0, 0, 0, 0))
                     + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


folder = pathlib.Path(sys.argv[1]) / "motorcycle"
source = pathlib.Path(sys.argv[2] if len(sys.argv) > 2
                      else "/usr/lib/python3/dist-packages/skimage/data")
folder.mkdir(parents=True, exist_ok=True)
for side in ("left", "right"):
    shutil.copyfile(source / f"motorcycle_{side}.png", folder / f"{side}.png")
disparity, (rows, columns) = read_npz(source / "motorcycle_disp.npz")
write_png16(folder / "disparity.png",
            [round(256 * d) if math.isfinite(d) else 0 for d in disparity], rows, columns)
