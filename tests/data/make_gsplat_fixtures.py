#!/usr/bin/env python3
# Makes gsplat_projection.csv and gsplat_sh.csv with gsplat 1.5.3's PyTorch functions on the CPU, in
# double (pip install torch==2.11.0 numpy jaxtyping rich; pip install --no-deps gsplat==1.5.3).
# The tests read the files; they need neither Python nor gsplat.
# SPDX-License-Identifier: MIT
import pathlib

import torch
from gsplat.cuda._torch_impl import (
    _fully_fused_projection,
    _quat_scale_to_covar_preci,
    _spherical_harmonics,
)

FOLDER = pathlib.Path(__file__).parent
torch.set_default_dtype(torch.float64)
torch.manual_seed(42)


def rotation(q):
    w, x, y, z = (q / q.norm()).tolist()
    return torch.tensor([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ])


def turned(viewmat, grad):
    """dL/domega of a left rotation exp([omega]x), from dL/d(viewmat)."""
    product = grad[:3, :3] @ viewmat[:3, :3].T
    return torch.stack([product[2, 1] - product[1, 2], product[0, 2] - product[2, 0],
                        product[1, 0] - product[0, 1]])


def projection():
    lines = ["# rotation(9) translation(3) fx fy cx cy width height mean(3) log_scale(3) quaternion(4)"
             " logit | mean2d(2) depth conic(3: xx xy yy) opacity(compensated) | their gradients(7) |"
             " mean(3) log_scale(3) quaternion(4) logit omega(3) translation(3)"]
    for row in range(24):
        viewmat = torch.eye(4)
        viewmat[:3, :3] = rotation(torch.randn(4))
        viewmat[:3, 3] = torch.randn(3)
        width, height = 640, 360
        fx, fy, cx, cy = 500.0 + 10 * row, 480.0, 300.0 + 5 * row, 200.0 - 8 * row
        intrinsics = torch.tensor([[fx, 0, cx], [0, fy, cy], [0, 0, 1]])
        # Every third one outside the picture, where the Jacobian is clamped.
        spread = 2.0 if row % 3 == 2 else 0.3
        z = 1 + 4 * torch.rand(1)
        in_camera = torch.cat([spread * torch.randn(2) * z, z])
        mean = (viewmat[:3, :3].T @ (in_camera - viewmat[:3, 3])).requires_grad_()
        log_scale = (-3 + torch.randn(3)).requires_grad_()
        quaternion = torch.randn(4).requires_grad_()
        logit = torch.randn(1).requires_grad_()
        viewmat.requires_grad_()

        covariance, _ = _quat_scale_to_covar_preci(quaternion[None], log_scale.exp()[None], True,
                                                   False, triu=False)
        _, mean2d, depth, conic, compensation = _fully_fused_projection(
            mean[None], covariance, viewmat[None], intrinsics[None], width, height, eps2d=0.3,
            near_plane=0.01, calc_compensations=True)
        opacity = torch.sigmoid(logit) * compensation.flatten()
        outputs = torch.cat([mean2d.flatten(), depth.flatten(), conic.flatten(), opacity])
        weights = 2 * torch.rand(7) - 1
        (outputs * weights).sum().backward()

        numbers = torch.cat([
            viewmat[:3, :3].flatten(), viewmat[:3, 3],
            torch.tensor([fx, fy, cx, cy, width, height]), mean, log_scale, quaternion, logit,
            outputs, weights, mean.grad, log_scale.grad, quaternion.grad, logit.grad,
            turned(viewmat.detach(), viewmat.grad), viewmat.grad[:3, 3]])
        lines.append(" ".join(repr(v) for v in numbers.tolist()))
    (FOLDER / "gsplat_projection.csv").write_text("\n".join(lines) + "\n")


def spherical_harmonics():
    lines = ["# degree, direction(3), coefficients((degree + 1)^2 x RGB) | color - 0.5 (3) | its"
             " gradient(3) | direction(3) coefficients"]
    for degree in range(5):
        for _ in range(3):
            direction = torch.randn(3).requires_grad_()
            coefficients = torch.randn((degree + 1) ** 2, 3).requires_grad_()
            color = _spherical_harmonics(degree, direction[None], coefficients[None])[0]
            weights = 2 * torch.rand(3) - 1
            (color * weights).sum().backward()
            d_direction = torch.zeros(3) if direction.grad is None else direction.grad
            numbers = torch.cat([direction, coefficients.flatten(), color, weights, d_direction,
                                 coefficients.grad.flatten()])
            lines.append(" ".join([str(degree)] + [repr(v) for v in numbers.tolist()]))
    (FOLDER / "gsplat_sh.csv").write_text("\n".join(lines) + "\n")


projection()
spherical_harmonics()
