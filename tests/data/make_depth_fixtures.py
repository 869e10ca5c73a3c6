#!/usr/bin/env python3
# Makes depth/ with other programs: pip install OpenEXR==3.5.3 tifffile==2026.3.3 numpy==2.4.6
# Every file holds 40x30 numbers: (x + 64 y) / 4, or 4 times that where they are integers.
# SPDX-License-Identifier: MIT
import pathlib

import numpy as np
import OpenEXR
import tifffile

FOLDER = pathlib.Path(__file__).parent / "depth"
WHOLE = np.arange(40)[None, :] + 64 * np.arange(30)[:, None]
VALUES = (WHOLE / 4).astype(np.float32)


def exr(name, channels, **header):
    OpenEXR.File({"type": OpenEXR.scanlineimage, **header}, channels).write(str(FOLDER / name))


FOLDER.mkdir(exist_ok=True)
HALF = VALUES.astype(np.float16)
exr("half_piz.exr", {"Y": HALF}, compression=OpenEXR.PIZ_COMPRESSION)
TILES = OpenEXR.TileDescription()
TILES.xSize = TILES.ySize = 16
exr("layers_zip_tiled.exr", {"view.Z": VALUES, "R": HALF, "G": HALF * 0},
    compression=OpenEXR.ZIP_COMPRESSION, type=OpenEXR.tiledimage,
    tiles=TILES)
exr("uint_zips.exr", {"Z": WHOLE.astype(np.uint32)}, compression=OpenEXR.ZIPS_COMPRESSION)
exr("grey_rgb.exr", {"R": VALUES, "G": VALUES, "B": VALUES}, compression=OpenEXR.RLE_COMPRESSION)
exr("colors.exr", {"R": HALF, "G": HALF + 1, "B": HALF}, compression=OpenEXR.PXR24_COMPRESSION)
tifffile.imwrite(FOLDER / "float_tiled.tif", VALUES, tile=(16, 16), compression="deflate")
tifffile.imwrite(FOLDER / "float64_big_endian.tif", VALUES.astype(np.float64), byteorder=">")
tifffile.imwrite(FOLDER / "int16_deflate.tif", WHOLE.astype(np.int16), compression="deflate", predictor=2)
tifffile.imwrite(FOLDER / "rgb.tif", np.zeros((30, 40, 3), np.uint8), photometric="rgb")
np.save(FOLDER / "float16_fortran.npy", np.asfortranarray(HALF))
