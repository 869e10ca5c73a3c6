// SPDX-License-Identifier: MIT
#include "core/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <sstream>
#include <stdexcept>

#include "core/error.h"
#include "core/file_io.h"
#include "core/nearest_name.h"

namespace tessera::core {
namespace {

constexpr uint64_t kMaxConfigBytes = uint64_t{16} << 20;

std::string kebab(std::string_view name) {
  std::string result(name);
  std::replace(result.begin(), result.end(), '_', '-');
  return result;
}

std::vector<std::string> split_names(std::string_view names) {
  std::vector<std::string> result;
  std::string name;
  std::istringstream stream{std::string(names)};
  while (std::getline(stream, name, ',')) {
    name.erase(0, name.find_first_not_of(' '));
    if (!name.empty()) result.push_back(kebab(name));
  }
  return result;
}

// What may follow a list as a further value; "2024_photos" is no number and so no value.
bool is_plain_number(const std::string& text) {
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) != 0 &&
         text.find_first_not_of("0123456789.,") == std::string::npos;
}

}  // namespace

OptionTable::OptionTable(std::string command, std::string summary, std::string example)
    : command_(std::move(command)), summary_(std::move(summary)), example_(std::move(example)) {}

void OptionTable::group(std::string heading) {
  current_group_ = std::move(heading);
}

void OptionTable::accept_config() {
  add("--config", config_, "FILE", "settings to start from, as a run records them");
}

Option& OptionTable::add_row(std::string_view names, std::unique_ptr<OptionValue> value,
                             std::string value_name, std::string help) {
  Option& row = rows_.emplace_back();
  row.names_ = split_names(names);
  // The first long name leads.
  const auto first_long = std::find_if(row.names_.begin(), row.names_.end(),
                                       [](const std::string& n) { return n.starts_with("--"); });
  if (first_long != row.names_.end()) {
    std::rotate(row.names_.begin(), first_long, first_long + 1);
  }
  row.value_name_ = std::move(value_name);
  row.help_ = std::move(help);
  row.group_ = current_group_;
  row.default_text_ = value->text();
  row.value_ = std::move(value);
  return row;
}

Option& OptionTable::add_positional(std::string value_name, std::unique_ptr<OptionValue> value,
                                    std::string help, std::string_view names) {
  Option& row = add_row(names, std::move(value), std::move(value_name), std::move(help));
  row.positional_ = true;
  row.required_ = true;
  row.common_ = true;
  return row;
}

void OptionTable::refuse(std::string name, std::string sentence) {
  refused_.emplace_back(std::move(name), std::move(sentence));
}

OptionTable::Found OptionTable::find(const std::string& name) {
  for (Option& row : rows_) {
    if (std::count(row.names_.begin(), row.names_.end(), name) > 0) return {&row, nullptr};
    for (const auto& [shorthand, value] : row.shorthands_) {
      if (shorthand == name) return {&row, &value};
    }
  }
  return {};
}

std::string OptionTable::nearest_hint(const std::string& name) const {
  std::vector<std::string> names = {"--help", "--help-all"};
  for (const Option& row : rows_) {
    names.insert(names.end(), row.names_.begin(), row.names_.end());
    for (const auto& shorthand : row.shorthands_) names.push_back(shorthand.first);
  }
  const std::optional<std::string> nearest =
      name.size() > 2 ? nearest_name(name, names) : std::nullopt;
  return nearest ? fmt::format("; did you mean {}?", *nearest)
                 : fmt::format("; {} --help-all lists what there is", command_);
}

std::string OptionTable::shown_name(const Option& row) {
  return row.positional_ ? row.value_name_ : row.names_.front();
}

void OptionTable::check_range(const Option& row, const std::string& typed) {
  const std::optional<double> number = row.value_->number();
  if (!number || (*number >= row.lowest_ && *number <= row.highest_)) return;
  if (row.highest_ == std::numeric_limits<double>::infinity()) {
    throw UsageError(typed, fmt::format("{} is too small; the least is {}", *number, row.lowest_));
  }
  throw UsageError(typed,
                   fmt::format("{} is not within {} to {}", *number, row.lowest_, row.highest_));
}

void OptionTable::assign(Option& row, const std::string& typed, const std::string& text) {
  std::vector<std::string> items = {text};
  if (row.value_->is_list()) {
    items.clear();
    std::string item;
    std::istringstream stream(text);
    while (std::getline(stream, item, ',')) items.push_back(item);
  }
  for (const std::string& item : items) {
    if (!row.choices_.empty() && std::count(row.choices_.begin(), row.choices_.end(), item) == 0) {
      const std::optional<std::string> nearest = nearest_name(item, row.choices_);
      throw UsageError(typed,
                       fmt::format("'{}' is not one of {}{}", item, fmt::join(row.choices_, ", "),
                                   nearest ? "; did you mean " + *nearest + "?" : ""));
    }
    try {
      row.value_->parse(item);
    } catch (const std::invalid_argument& due) {
      throw UsageError(typed, fmt::format("'{}' is not {}", item, due.what()));
    }
    check_range(row, typed);
  }
}

// Reads the option at arguments[at]; returns the index of the last argument that belongs to it.
size_t OptionTable::read_option(const std::vector<std::string>& arguments, size_t at,
                                std::vector<Assignment>& to) {
  const std::string& argument = arguments[at];
  const size_t equals = argument.find('=');
  std::string typed = argument.substr(0, equals);
  std::optional<std::string> value;
  if (equals != std::string::npos) value = argument.substr(equals + 1);
  Found found = find(kebab(typed));
  if (found.option == nullptr && argument[1] != '-' && argument.size() > 2) {
    const Found short_one = find(argument.substr(0, 2));  // -n5
    if (short_one.option != nullptr && short_one.shorthand_value == nullptr &&
        !short_one.option->value_->is_flag()) {
      found = short_one;
      typed = argument.substr(0, 2);
      value = argument.substr(2);
    }
  }
  const std::string refused_name = kebab(typed);
  for (const auto& [name, sentence] : refused_) {
    if (name == refused_name) throw UsageError(typed, sentence);
  }
  if (found.option == nullptr) {
    throw UsageError(typed, "there is no such option" + nearest_hint(kebab(typed)));
  }
  if (found.shorthand_value != nullptr) {
    if (value) throw UsageError(typed, "takes no value");
    to.push_back({found.option, typed, *found.shorthand_value});
    return at;
  }
  if (found.option->value_->is_flag() && !value) value = "true";
  if (!value) {
    if (at + 1 == arguments.size() || find(kebab(arguments[at + 1])).option != nullptr) {
      throw UsageError(typed,
                       fmt::format("needs a value: {} {}", typed, found.option->value_name_));
    }
    value = arguments[++at];
  }
  to.push_back({found.option, typed, *value});
  if (found.option->value_->is_list() && found.option->value_->is_numeric()) {
    while (at + 1 < arguments.size() && is_plain_number(arguments[at + 1])) {
      to.push_back({found.option, typed, arguments[++at]});
    }
  }
  return at;
}

std::vector<OptionTable::Assignment> OptionTable::read(const std::vector<std::string>& arguments,
                                                       bool& help, bool& all) {
  std::vector<Assignment> result;
  std::vector<std::string> positionals;
  bool options_ended = false;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (options_ended || argument.size() < 2 || argument[0] != '-') {
      positionals.push_back(argument);
    } else if (argument == "--") {
      options_ended = true;
    } else if (argument == "--help-all" || argument == "--help_all") {
      all = true;
    } else if (argument == "--help" || argument == "-h") {
      help = true;
    } else {
      i = read_option(arguments, i, result);
    }
  }
  size_t used = 0;
  for (Option& row : rows_) {
    if (!row.positional_ || used == positionals.size()) continue;
    const bool named = std::any_of(result.begin(), result.end(),
                                   [&](const Assignment& a) { return a.option == &row; });
    if (named) continue;
    do {
      result.push_back({&row, row.value_name_, positionals[used++]});
    } while (row.value_->is_list() && used < positionals.size());
  }
  if (used < positionals.size() && !help && !all) {
    throw UsageError(
        positionals[used],
        fmt::format("is one argument too many; {} --help shows what is taken", command_));
  }
  return result;
}

std::optional<std::string> OptionTable::parse(const std::vector<std::string>& arguments) {
  bool wants_help = false;
  bool wants_all = false;
  const std::vector<Assignment> assignments = read(arguments, wants_help, wants_all);
  if (wants_all) return help_all();
  if (wants_help) return help();
  for (const Assignment& a : assignments) {
    if (key_of(*a.option) == "config") assign(*a.option, a.typed, a.value);
  }
  if (config_) {
    apply_json(read_text_file(*config_, kMaxConfigBytes), *config_);
  }
  for (const Assignment& a : assignments) {
    if (!a.option->given_) a.option->value_->clear();
    a.option->given_ = true;
    assign(*a.option, a.typed, a.value);
  }
  for (const Option& row : rows_) {
    if (!row.required_ || row.given_ || row.configured_) continue;
    throw UsageError(shown_name(row),
                     fmt::format("is missing ({}); for example: {}", row.help_, example_));
  }
  return std::nullopt;
}

bool OptionTable::is_given(std::string_view name) const {
  for (const Option& row : rows_) {
    if (shown_name(row) == name) return row.given_ || row.configured_;
  }
  throw std::logic_error(fmt::format("no option is called {}", name));
}

}  // namespace tessera::core
