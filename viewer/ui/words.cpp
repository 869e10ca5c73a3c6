// SPDX-License-Identifier: MIT
#include "core/error.h"
#include "viewer/ui/command.h"

namespace tessera::viewer {

Words split_line(std::string_view line) {
  Words words;
  size_t at = 0;
  while (at < line.size()) {
    if (line[at] == ' ' || line[at] == '\t') {
      ++at;
      continue;
    }
    std::string word;
    if (line[at] != '"') {
      while (at < line.size() && line[at] != ' ' && line[at] != '\t') word += line[at++];
    } else {
      ++at;
      while (at < line.size() && line[at] != '"') {
        if (line[at] == '\\' && at + 1 < line.size()) ++at;
        word += line[at++];
      }
      if (at == line.size()) throw core::UsageError(std::string(line), "a quote is not closed");
      ++at;
    }
    words.push_back(std::move(word));
  }
  return words;
}

std::string quoted_word(std::string_view word) {
  std::string text = "\"";
  for (const char c : word) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text + '"';
}

}  // namespace tessera::viewer
