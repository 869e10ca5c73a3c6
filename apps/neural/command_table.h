// The table of the commands that need networks. They are a program of their own, which `tessera`
// starts, since LibTorch costs a third of a second at each start.
// SPDX-License-Identifier: MIT
#pragma once

#include "apps/program.h"

namespace tessera::apps {

int run_train_refiner(const std::vector<std::string>& arguments);
int run_refine(const std::vector<std::string>& arguments);

inline constexpr Command kNeuralCommands[] = {
    {"train-refiner", "teach a refiner of multiplane images on photos", run_train_refiner},
    {"refine", "refine a multiplane image by a trained network", run_refine},
};

inline constexpr Program kTesseraNeural = {
    "tessera-neural", "The commands of Tessera that need networks.",
    "tessera-neural refine scene.tmpi --refiner refiner.safetensors -o refined.tmpi",
    kNeuralCommands};

}  // namespace tessera::apps
