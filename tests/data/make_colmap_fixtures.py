#!/usr/bin/env python3
# Makes camera_models.csv and colmap/ with pycolmap 4.2.1 (pip install pycolmap==4.2.1 numpy).
# The tests read the files; they need neither Python nor pycolmap.
# SPDX-License-Identifier: MIT
import pathlib

import numpy as np
import pycolmap

FOLDER = pathlib.Path(__file__).parent

# Width, height and parameters of each model: ordinary lenses, principal points off center.
CAMERAS = [
    ("SIMPLE_PINHOLE", 1024, 768, [1000.5, 500, 390]),
    ("PINHOLE", 1000, 658, [2048.05, 2046.56, 480, 350]),
    ("SIMPLE_RADIAL", 1296, 972, [922.5, 648, 486, -0.18]),
    ("RADIAL", 3264, 2448, [2838.59, 1600, 1250, 0.0885, -0.2324]),
    ("OPENCV", 1080, 1920, [1375.52, 1374.49, 554.558, 965.268, 0.0578421, -0.0805099, -0.000980296, 0.00015575]),
    ("OPENCV_FISHEYE", 848, 880, [284.981, 286.102, 425.244, 398.468, -0.007305, 0.0435, -0.041283, 0.007652]),
    ("FULL_OPENCV", 1920, 1080, [1676.08, 1676.21, 961.42, 530.84, 0.0879, -0.1812, 0.00088, -0.00017, 0.01, 0.001, -0.002, 0.0003]),
    ("FOV", 752, 480, [458.0, 457.0, 367.2, 248.4, 0.93]),
    ("FOV", 752, 480, [458.0, 457.0, 367.2, 248.4, 0.0]),
    ("SIMPLE_RADIAL_FISHEYE", 752, 480, [458.0, 367.2, 248.4, -0.05]),
    ("RADIAL_FISHEYE", 752, 480, [458.0, 367.2, 248.4, -0.08, 0.02]),
    ("THIN_PRISM_FISHEYE", 6048, 4032, [3411.42, 3410.02, 3041.29, 2014.07, 0.21047, 0.21102, -5.36231e-06, 0.00051541, -0.158023, 0.406856, -8.46499e-05, 0.000861313]),
]


def camera_models():
    lines = ["# model width height fx_f_.._parameters(12, zero-padded) x y z u v ray_u ray_v: (x, y, z) is seen at (u, v); (u, v) is seen along (ray_u, ray_v, 1)"]
    for name, width, height, parameters in CAMERAS:
        camera = pycolmap.Camera(model=name, width=width, height=height, params=parameters)
        model = int(pycolmap.CameraModelId.__members__[name])
        for px in np.linspace(0.05, 0.95, 5):
            for py in np.linspace(0.05, 0.95, 5):
                ray = camera.cam_from_img(np.array([px * width, py * height]))
                if ray is None:
                    raise SystemExit(f"{name}: no ray at {px}, {py}")
                z = 0.5 + 4 * px + py
                point = np.array([ray[0] * z, ray[1] * z, z])
                pixel = camera.img_from_cam(point)
                back = camera.cam_from_img(pixel)
                padded = list(parameters) + [0.0] * (12 - len(parameters))
                lines.append(" ".join([str(model), str(width), str(height)]
                                      + [repr(float(v)) for v in [*padded, *point, *pixel, *back]]))
    (FOLDER / "camera_models.csv").write_text("\n".join(lines) + "\n")


def colmap_model():
    reconstruction = pycolmap.Reconstruction()
    for i, (name, width, height, parameters) in enumerate(CAMERAS):
        camera = pycolmap.Camera(model=name, width=width, height=height, params=parameters,
                                 camera_id=7 * i + 3)
        reconstruction.add_camera_with_trivial_rig(camera)
    rng = np.random.default_rng(1)
    names = ["plain.jpg", "sub/dir/nested.png", "with space in it.JPG", "\u00fcmlaut.jpg"]
    for i in range(len(CAMERAS)):
        quaternion = rng.normal(size=4)
        image = pycolmap.Image(name=f"{i:02d} {names[i % 4]}" if i % 4 == 2 else f"{i:02d}_{names[i % 4]}",
                               camera_id=7 * i + 3, image_id=100 - 5 * i)
        pose = pycolmap.Rigid3d(pycolmap.Rotation3d(quaternion / np.linalg.norm(quaternion)),
                                rng.normal(size=3))
        image.points2D = pycolmap.Point2DList(
            [pycolmap.Point2D(rng.uniform(0, 400, size=2)) for _ in range(i % 3)])
        reconstruction.add_image_with_trivial_frame(image, pose)
    for i in range(5):
        reconstruction.add_point3D(rng.normal(size=3), pycolmap.Track(),
                                   rng.integers(0, 255, size=3).astype(np.uint8))
    for form, write in [("binary", reconstruction.write_binary), ("text", reconstruction.write_text)]:
        folder = FOLDER / "colmap" / form
        folder.mkdir(parents=True, exist_ok=True)
        write(str(folder))


if __name__ == "__main__":
    camera_models()
    colmap_model()
