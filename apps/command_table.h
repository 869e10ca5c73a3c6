// The table of commands. A new one is a file in commands/, its declaration and its row here.
// SPDX-License-Identifier: MIT
#pragma once

#include "apps/program.h"

namespace tessera::apps {

int run_reconstruct(const std::vector<std::string>& arguments);
int run_render(const std::vector<std::string>& arguments);
int run_eval(const std::vector<std::string>& arguments);
int run_inspect(const std::vector<std::string>& arguments);
int run_convert(const std::vector<std::string>& arguments);
int run_clean(const std::vector<std::string>& arguments);
int run_photo3d(const std::vector<std::string>& arguments);
int run_steer(const std::vector<std::string>& arguments);
int run_view(const std::vector<std::string>& arguments);
int run_plan(const std::vector<std::string>& arguments);

inline constexpr Command kCommands[] = {
    {"reconstruct", "train a Gaussian scene on posed photos", run_reconstruct},
    {"steer", "watch, pause, save or stop a training that runs", run_steer},
    {"photo3d", "make a scene to move in of a photo or a clip with depth", run_photo3d},
    {"view", "look at scenes and captures in a window", run_view},
    {"render", "draw a scene as pictures or a film", run_render},
    {"eval", "measure a scene against a capture's photos", run_eval},
    {"inspect", "say what is in a scene or a capture", run_inspect},
    {"convert", "write a scene in another format", run_convert},
    {"clean", "remove what is astray from a scene", run_clean},
    {"plan", "foresee what training on many ranks costs", run_plan},
};

inline constexpr Program kTessera = {
    "tessera",
    "Tessera turns photos into Gaussian scenes, shows them and moves them between formats.",
    "tessera reconstruct photos -o scene", kCommands};

}  // namespace tessera::apps
