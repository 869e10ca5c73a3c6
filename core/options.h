// A command's options as a table: each row binds names to a variable, and parsing, help, the
// record of settings and --config are all read off the table.
//
// Names are kebab case, underscores are accepted in their place. `--name value`, `--name=value`,
// `-n 5`, `-n5` and `-n=5` mean the same. Lists take commas, repeats, and further numbers
// (`--save-iterations 7000 30000`). What is on the command line overrides what --config gives.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera::core {

// How one row reads and shows its variable.
class OptionValue {
 public:
  virtual ~OptionValue() = default;
  // Throws std::invalid_argument with what is due instead: "a whole number".
  virtual void parse(const std::string& text) = 0;
  virtual void clear() = 0;              // a list forgets its default when first given
  virtual bool is_flag() const = 0;      // stands alone on the command line
  virtual bool is_list() const = 0;      // takes several values
  virtual bool is_numeric() const = 0;   // of numbers, which a range may bound
  virtual std::string text() const = 0;  // for help; "" if unset
  virtual std::string json() const = 0;  // a JSON value; "null" if unset
  // The number last parsed; nothing if there is none.
  virtual std::optional<double> number() const = 0;
};

// For bool, int, int64_t, uint64_t, float, double, std::string, std::filesystem::path, and
// std::optional and std::vector of these but bool. The variable must outlive the table.
template <class T>
std::unique_ptr<OptionValue> bind_option(T& variable);

class Option {
 public:
  // Shown by --help; others only by --help-all.
  Option& common() {
    common_ = true;
    return *this;
  }
  // A name that stands alone and means this option with `value`: "--cpu" for "--device cpu".
  Option& shorthand(std::string name, std::string value) {
    shorthands_.emplace_back(std::move(name), std::move(value));
    return *this;
  }
  Option& choices(std::initializer_list<const char*> allowed) {
    choices_.assign(allowed.begin(), allowed.end());
    return *this;
  }
  // Both ends included.
  Option& range(double lowest, double highest = std::numeric_limits<double>::infinity()) {
    lowest_ = lowest;
    highest_ = highest;
    return *this;
  }
  Option& required() {
    required_ = true;
    return *this;
  }
  Option& optional() {
    required_ = false;
    return *this;
  }

 private:
  friend class OptionTable;

  std::vector<std::string> names_;  // "--iterations" first, then "-n" and the aliases
  std::string value_name_;          // "N"; for a positional its name, "CAPTURE"
  std::string help_;
  std::string group_;
  std::vector<std::pair<std::string, std::string>> shorthands_;
  std::vector<std::string> choices_;
  double lowest_ = -std::numeric_limits<double>::infinity();
  double highest_ = std::numeric_limits<double>::infinity();
  bool common_ = false;
  bool required_ = false;
  bool positional_ = false;
  std::string default_text_;
  std::unique_ptr<OptionValue> value_;
  bool given_ = false;       // on the command line
  bool configured_ = false;  // by --config
};

class OptionTable {
 public:
  // `command` as typed, "tessera reconstruct"; `summary` one sentence; `example` a whole command
  // line, shown first.
  OptionTable(std::string command, std::string summary, std::string example);
  OptionTable(const OptionTable&) = delete;
  OptionTable& operator=(const OptionTable&) = delete;

  // Adds --config FILE, which reads what to_json() gave.
  void accept_config();
  // Rows that follow stand under this heading in --help-all.
  void group(std::string heading);

  // `names` is "-n, --iterations, --iter, --num-iters": the first long one is shown and recorded,
  // those after it are aliases. A bool is a flag: it stands alone, or `--flag=false`.
  template <class T>
  Option& add(std::string_view names, T& variable, const std::string& value_name,
              const std::string& help) {
    return add_row(names, bind_option(variable), value_name, help);
  }
  Option& flag(std::string_view names, bool& variable, std::string help) {
    return add_row(names, bind_option(variable), "", std::move(help));
  }
  // A value of another kind: `parse` throws std::invalid_argument with what is due instead ("a
  // size like 2GB"); `text` gives what `parse` would read back, "" if unset.
  Option& add_parsed(std::string_view names, std::string value_name, std::string help,
                     std::function<void(const std::string&)> parse,
                     std::function<std::string()> text);
  // An argument without a name, in order, a list all that are left; `names` gives options that mean
  // the same ("-d, --data") or is empty. Recorded under `value_name` in lower case. Required unless
  // made optional().
  template <class T>
  Option& positional(const std::string& value_name, T& variable, const std::string& help,
                     std::string_view names = "") {
    return add_positional(value_name, bind_option(variable), help, names);
  }
  // An option that is answered with a sentence: refuse("-i", "means three things; use --data").
  void refuse(std::string name, std::string sentence);

  // Reads the arguments after the command's name, and --config's file first. Gives the text to
  // print instead of running if --help or --help-all is among them. Throws UsageError.
  std::optional<std::string> parse(const std::vector<std::string>& arguments);

  // Whether the command line or --config gave it; `name` as in the table, "--iterations" or
  // "CAPTURE".
  bool is_given(std::string_view name) const;

  std::string help() const;      // within 24 lines of 80 columns, if the common rows are few
  std::string help_all() const;  // every row with its default

  // Words that parse() reads back to the same settings: what differs from its default, but for rows
  // whose key in to_json() is among `left_out`.
  std::vector<std::string> to_arguments(std::span<const std::string_view> left_out) const;

  // All settings as a JSON object, {"iterations": 30000, ...}: what --config reads back.
  std::string to_json() const;
  // Takes such an object, or one that holds it under "settings". `source` names it in errors.
  void apply_json(const std::string& json, const std::filesystem::path& source);

 private:
  struct Found {
    Option* option = nullptr;
    const std::string* shorthand_value = nullptr;
  };
  // What was typed for one option, in order.
  struct Assignment {
    Option* option = nullptr;
    std::string typed;
    std::string value;
  };

  Option& add_row(std::string_view names, std::unique_ptr<OptionValue> value,
                  std::string value_name, std::string help);
  Option& add_positional(std::string value_name, std::unique_ptr<OptionValue> value,
                         std::string help, std::string_view names);
  Found find(const std::string& name);
  std::string nearest_hint(const std::string& name) const;
  size_t read_option(const std::vector<std::string>& arguments, size_t at,
                     std::vector<Assignment>& to);
  std::vector<Assignment> read(const std::vector<std::string>& arguments, bool& help, bool& all);
  static void assign(Option& row, const std::string& typed, const std::string& text);
  static void check_range(const Option& row, const std::string& typed);
  static std::string key_of(const Option& row);      // in JSON
  static std::string shown_name(const Option& row);  // "--iterations" or "CAPTURE"
  static std::string label(const Option& row);       // "-n, --iterations N"
  static std::string description(const Option& row, bool with_aliases);

  std::string command_, summary_, example_;
  std::string current_group_ = "Options";
  std::deque<Option> rows_;  // a deque, so that references to rows stay good
  std::vector<std::pair<std::string, std::string>> refused_;
  std::optional<std::filesystem::path> config_;
};

}  // namespace tessera::core
