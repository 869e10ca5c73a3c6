// What the module of depth networks offers to whoever loads it: plain C, so that nothing of OpenCV
// is needed to link.
// SPDX-License-Identifier: MIT
#pragma once

extern "C" {

// The ONNX network in `path` on one picture: `input` is [3][height][width]. Calls take() once with
// the first output as [rows][columns] and returns 0; or writes what OpenCV says is wrong to
// `message`, which has room for `message_size` letters, and returns 1.
using TesseraRunDepthNetwork = int(const char* path, const float* input, int width, int height,
                                   void (*take)(void* context, const float* values, int columns,
                                                int rows),
                                   void* context, char* message, int message_size);

}  // extern "C"
