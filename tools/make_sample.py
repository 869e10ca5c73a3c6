#!/usr/bin/env python3
"""Makes a small capture from a COLMAP one: assets/samples/banana was made by

    tools/make_sample.py CAPTURE assets/samples/banana 500 332

CAPTURE has images/ and sparse/0/*.bin with PINHOLE cameras. Photos are scaled by ffmpeg; cameras,
2D points and reprojection errors are scaled with them; 2D points that belong to no 3D point are
left out (they are most of images.bin). Everything else stays as it was.
"""
# SPDX-License-Identifier: MIT
import pathlib
import struct
import subprocess
import sys

PINHOLE = 1
NO_POINT = 2**64 - 1


class Reader:
    def __init__(self, path):
        self.bytes, self.at = path.read_bytes(), 0

    def take(self, layout):
        values = struct.unpack_from("<" + layout, self.bytes, self.at)
        self.at += struct.calcsize("<" + layout)
        return values

    def take_name(self):
        end = self.bytes.index(b"\0", self.at)
        name, self.at = self.bytes[self.at:end + 1], end + 1
        return name


def scale_cameras(path, width, height):
    """Returns cameras.bin at the new size and the scale in x and y of the first camera."""
    reader = Reader(path)
    (count,) = reader.take("Q")
    out, scale = struct.pack("<Q", count), None
    for _ in range(count):
        camera, model, old_width, old_height = reader.take("IiQQ")
        assert model == PINHOLE, f"{path}: only PINHOLE cameras are scaled"
        fx, fy, cx, cy = reader.take("4d")
        sx, sy = width / old_width, height / old_height
        scale = scale or (sx, sy)
        out += struct.pack("<IiQQ4d", camera, model, width, height, fx * sx, fy * sy, cx * sx, cy * sy)
    return out, scale


def scale_images(path, scale):
    """Returns images.bin without lone 2D points, and {image: {old index: new index}}."""
    reader = Reader(path)
    (count,) = reader.take("Q")
    out, kept = [struct.pack("<Q", count)], {}
    for _ in range(count):
        head = reader.take("I7dI")
        name = reader.take_name()
        (points,) = reader.take("Q")
        observed = [(i, *reader.take("ddQ")) for i in range(points)]
        observed = [point for point in observed if point[3] != NO_POINT]
        kept[head[0]] = {point[0]: new for new, point in enumerate(observed)}
        out += [struct.pack("<I7dI", *head), name, struct.pack("<Q", len(observed))]
        out += [struct.pack("<ddQ", x * scale[0], y * scale[1], point) for _, x, y, point in observed]
    return b"".join(out), kept


def renumber_points(path, kept, scale):
    reader = Reader(path)
    (count,) = reader.take("Q")
    out = [struct.pack("<Q", count)]
    for _ in range(count):
        point, x, y, z, r, g, b, error, length = reader.take("Q3d3BdQ")
        out.append(struct.pack("<Q3d3BdQ", point, x, y, z, r, g, b, error * scale[0], length))
        for _ in range(length):
            image, index = reader.take("II")
            out.append(struct.pack("<II", image, kept[image][index]))
    return b"".join(out)


def main(source, target, width, height):
    (target / "sparse/0").mkdir(parents=True, exist_ok=True)
    (target / "images").mkdir(exist_ok=True)
    model = source / "sparse/0"
    cameras, scale = scale_cameras(model / "cameras.bin", width, height)
    images, kept = scale_images(model / "images.bin", scale)
    (target / "sparse/0/cameras.bin").write_bytes(cameras)
    (target / "sparse/0/images.bin").write_bytes(images)
    (target / "sparse/0/points3D.bin").write_bytes(renumber_points(model / "points3D.bin", kept, scale))
    for photo in sorted((source / "images").iterdir()):
        subprocess.run(["ffmpeg", "-v", "error", "-y", "-i", photo, "-vf", f"scale={width}:{height}:flags=area",
                        "-q:v", "2", "-map_metadata", "-1", target / "images" / photo.name], check=True)


main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
