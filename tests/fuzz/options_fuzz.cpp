// The option table against hostile command lines (arguments separated by zero bytes) and, where the
// input begins with '{', hostile records of settings.
// SPDX-License-Identifier: MIT
#include <cstdint>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/options.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tessera::core;
  std::string name;
  std::vector<int> list;
  std::optional<double> number;
  bool flag = false;
  OptionTable table("tessera fuzz", "Takes anything.", "tessera fuzz x");
  table.positional("NAME", name, "a name", "-d, --data");
  table.add("-l, --list, --some-list", list, "LIST", "numbers").range(-5, 5);
  table.add("--number", number, "X", "a number");
  table.add("--kind", name, "KIND", "a kind").choices({"one", "two"}).shorthand("--one", "one");
  table.flag("-f, --flag", flag, "a flag");
  table.refuse("-i", "is not taken");
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    if (text.starts_with('{')) {
      table.apply_json(text, "fuzz.json");
    } else {
      std::vector<std::string> arguments(1);
      for (const char c : text) {
        if (c == '\0') {
          arguments.emplace_back();
        } else {
          arguments.back() += c;
        }
      }
      table.parse(arguments);
    }
    table.to_json();
  } catch (const Error&) {
  }
  return 0;
}
