#!/usr/bin/env python3
"""Makes the small networks beside this file; needs the Python packages onnx and numpy.

red_is_near.onnx    a photo of any size to half of it: the mean red of 2x2 pixels, through a
                    convolution, a ReLU and a resize, as depth networks are built
fixed_size.onnx     the same for 64x48 pixels alone
unknown.onnx        has an operator that nobody knows, Wobble
"""
# SPDX-License-Identifier: MIT
import pathlib

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper


def network(name, height, width, extra=()):
    weights = numpy.zeros((2, 3, 4, 4), numpy.float32)
    weights[0, 0] = 1 / 16  # the mean of red over 4x4 pixels
    weights[1, 0] = -1 / 16  # and what is below zero of it
    join = numpy.array([[[[1.0]], [[-1.0]]]], numpy.float32)
    scales = numpy.array([1, 1, 2, 2], numpy.float32)
    nodes = [
        helper.make_node("Conv", ["photo", "weights"], ["features"], kernel_shape=[4, 4],
                         strides=[4, 4]),
        helper.make_node("Relu", ["features"], ["positive"]),
        helper.make_node("Conv", ["positive", "join"], ["small"], kernel_shape=[1, 1]),
        helper.make_node("Resize", ["small", "", "scales"], ["depth"], mode="nearest",
                         coordinate_transformation_mode="asymmetric", nearest_mode="floor"),
    ]
    if extra:
        nodes[-1].output[0] = "before"
        nodes.append(helper.make_node(extra[0], ["before"], ["depth"]))
    graph = helper.make_graph(
        nodes, name,
        [helper.make_tensor_value_info("photo", TensorProto.FLOAT, [1, 3, height, width])],
        [helper.make_tensor_value_info("depth", TensorProto.FLOAT, [1, 1, None, None])],
        [numpy_helper.from_array(weights, "weights"), numpy_helper.from_array(join, "join"),
         numpy_helper.from_array(scales, "scales")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 11)], ir_version=7)
    onnx.save(model, pathlib.Path(__file__).with_name(name + ".onnx"))


network("red_is_near", "height", "width")
network("fixed_size", 48, 64)
network("unknown", "height", "width", ["Wobble"])
