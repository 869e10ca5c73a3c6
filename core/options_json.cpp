// Settings as a run records them, read back for --config, and as a command line.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/lower_case.h"
#include "core/options.h"

namespace tessera::core {

std::string OptionTable::key_of(const Option& row) {
  if (!row.positional_) return row.names_.front().substr(2);
  return lower_case(row.value_name_);
}

std::string OptionTable::to_json() const {
  nlohmann::ordered_json object = nlohmann::ordered_json::object();
  for (const Option& row : rows_) {
    if (key_of(row) == "config") continue;
    object[key_of(row)] = nlohmann::ordered_json::parse(row.value_->json());
  }
  return object.dump(2);
}

std::vector<std::string> OptionTable::to_arguments(
    std::span<const std::string_view> left_out) const {
  std::vector<std::string> words;
  for (const Option& row : rows_) {
    const std::string text = row.value_->text();
    if (text == row.default_text_ ||
        std::count(left_out.begin(), left_out.end(), key_of(row)) > 0) {
      continue;
    }
    if (row.positional_) {
      words.push_back(text);
    } else if (row.value_->is_flag()) {
      words.push_back(shown_name(row) + (text.empty() ? "=false" : ""));
    } else {
      words.insert(words.end(), {shown_name(row), text});
    }
  }
  return words;
}

void OptionTable::apply_json(const std::string& json, const std::filesystem::path& source) {
  nlohmann::json document = nlohmann::json::parse(json, nullptr, false);
  if (document.is_object() && document.contains("settings")) document = document["settings"];
  if (!document.is_object()) {
    throw IoError(source, "is no JSON object of settings, such as a run writes beside its result");
  }
  for (const auto& [key, value] : document.items()) {
    std::string name = key;
    std::replace(name.begin(), name.end(), '_', '-');
    Option* row = nullptr;
    for (Option& candidate : rows_) {
      if (key_of(candidate) == name) row = &candidate;
    }
    const std::string typed = fmt::format("{}: {}", source.string(), key);
    if (row == nullptr) {
      throw UsageError(typed, "there is no such setting" + nearest_hint("--" + name));
    }
    if (value.is_null()) continue;
    row->value_->clear();
    row->configured_ = true;
    const nlohmann::json items = value.is_array() ? value : nlohmann::json::array({value});
    for (const nlohmann::json& item : items) {
      assign(*row, typed, item.is_string() ? item.get<std::string>() : item.dump());
    }
  }
}

}  // namespace tessera::core
