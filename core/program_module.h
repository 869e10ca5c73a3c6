// Modules of the program: shared libraries that are loaded when what they offer is asked for, so
// that a program does not load their libraries whenever it starts.
// SPDX-License-Identifier: MIT
#pragma once

namespace tessera::core {

// Looks beside the program, then in ../lib/tessera, where modules are installed. Null if there is
// no such module or it has no such function. It stays loaded.
void* function_of_module(const char* file_name, const char* function);

}  // namespace tessera::core
