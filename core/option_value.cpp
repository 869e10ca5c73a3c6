// How each kind of variable is read from text and shown: the values behind OptionTable's rows.
// SPDX-License-Identifier: MIT
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <type_traits>

#include "core/options.h"

namespace tessera::core {
namespace {

template <class T>
T parse_number(const std::string& text, const char* due) {
  const char* begin = text.data();
  const char* end = begin + text.size();
  if (begin != end && *begin == '+') ++begin;
  T value = {};
  const auto [rest, error] = std::from_chars(begin, end, value);
  if (error == std::errc::result_out_of_range) {
    throw std::invalid_argument(std::string(due) + " that is not so large");
  }
  if (error != std::errc() || rest != end) throw std::invalid_argument(due);
  return value;
}

void parse_into(const std::string& text, bool& value) {
  if (text == "true" || text == "1" || text == "yes" || text == "on") {
    value = true;
  } else if (text == "false" || text == "0" || text == "no" || text == "off") {
    value = false;
  } else {
    throw std::invalid_argument("true or false");
  }
}

template <class T>
requires std::is_integral_v<T>
void parse_into(const std::string& text, T& value) {
  value =
      parse_number<T>(text, std::is_unsigned_v<T> ? "a whole number from 0 up" : "a whole number");
}

template <class T>
requires std::is_floating_point_v<T>
void parse_into(const std::string& text, T& value) {
  value = parse_number<T>(text, "a number");
  if (!std::isfinite(value)) throw std::invalid_argument("a finite number");
}

void parse_into(const std::string& text, std::string& value) {
  value = text;
}

void parse_into(const std::string& text, std::filesystem::path& value) {
  if (text.empty()) throw std::invalid_argument("a path");
  value = text;
}

template <class T>
nlohmann::json to_json_value(const T& value) {
  if constexpr (std::is_same_v<T, std::filesystem::path>) {
    return value.empty() ? nlohmann::json() : nlohmann::json(value.string());
  } else if constexpr (std::is_same_v<T, float>) {
    // The shortest digits that give this float, not those of the double that it is.
    char digits[32];
    return nlohmann::json::parse(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
  } else {
    return value;
  }
}

template <class T>
std::string to_text(const T& value) {
  if constexpr (std::is_same_v<T, std::string>) {
    return value;
  } else if constexpr (std::is_same_v<T, std::filesystem::path>) {
    return value.string();
  } else if constexpr (std::is_same_v<T, bool>) {
    return value ? "on" : "";
  } else {
    return to_json_value(value).dump();
  }
}

// Names and paths may hold bytes that are not UTF-8; a record of settings is written all the same.
std::string dump(const nlohmann::json& json) {
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

template <class T>
constexpr bool kIsNumber = std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;

template <class T>
std::optional<double> to_number(const T& value) {
  if constexpr (kIsNumber<T>) {
    return static_cast<double>(value);
  } else {
    return std::nullopt;
  }
}

template <class T>
class Single : public OptionValue {
 public:
  explicit Single(T& variable) : variable_(variable) {}
  void parse(const std::string& text) override { parse_into(text, variable_); }
  void clear() override {}
  bool is_flag() const override { return std::is_same_v<T, bool>; }
  bool is_list() const override { return false; }
  bool is_numeric() const override { return kIsNumber<T>; }
  std::string text() const override { return to_text(variable_); }
  std::string json() const override { return dump(to_json_value(variable_)); }
  std::optional<double> number() const override { return to_number(variable_); }

 private:
  T& variable_;
};

template <class T>
class Single<std::optional<T>> : public OptionValue {
 public:
  explicit Single(std::optional<T>& variable) : variable_(variable) {}
  void parse(const std::string& text) override {
    T value = {};
    parse_into(text, value);
    variable_ = std::move(value);
  }
  void clear() override { variable_.reset(); }
  bool is_flag() const override { return false; }
  bool is_list() const override { return false; }
  bool is_numeric() const override { return kIsNumber<T>; }
  std::string text() const override { return variable_ ? to_text(*variable_) : ""; }
  std::string json() const override { return variable_ ? dump(to_json_value(*variable_)) : "null"; }
  std::optional<double> number() const override {
    return variable_ ? to_number(*variable_) : std::nullopt;
  }

 private:
  std::optional<T>& variable_;
};

template <class T>
class Single<std::vector<T>> : public OptionValue {
 public:
  explicit Single(std::vector<T>& variable) : variable_(variable) {}
  void parse(const std::string& text) override {
    T value = {};
    parse_into(text, value);
    variable_.push_back(std::move(value));
  }
  void clear() override { variable_.clear(); }
  bool is_flag() const override { return false; }
  bool is_list() const override { return true; }
  bool is_numeric() const override { return kIsNumber<T>; }
  std::string text() const override {
    std::string joined;
    for (const T& value : variable_) {
      if (!joined.empty()) joined += ",";
      joined += to_text(value);
    }
    return joined;
  }
  std::string json() const override {
    nlohmann::json array = nlohmann::json::array();
    for (const T& value : variable_) array.push_back(to_json_value(value));
    return dump(array);
  }
  std::optional<double> number() const override {
    return variable_.empty() ? std::nullopt : to_number(variable_.back());
  }

 private:
  std::vector<T>& variable_;
};

class ParsedValue : public OptionValue {
 public:
  ParsedValue(std::function<void(const std::string&)> parse, std::function<std::string()> text)
      : parse_(std::move(parse)), text_(std::move(text)) {}
  void parse(const std::string& text) override { parse_(text); }
  void clear() override {}
  bool is_flag() const override { return false; }
  bool is_list() const override { return false; }
  bool is_numeric() const override { return false; }
  std::string text() const override { return text_(); }
  std::string json() const override { return text_().empty() ? "null" : dump(text_()); }
  std::optional<double> number() const override { return std::nullopt; }

 private:
  std::function<void(const std::string&)> parse_;
  std::function<std::string()> text_;
};

}  // namespace

template <class T>
std::unique_ptr<OptionValue> bind_option(T& variable) {
  return std::make_unique<Single<T>>(variable);
}

template std::unique_ptr<OptionValue> bind_option(bool&);
template std::unique_ptr<OptionValue> bind_option(int&);
template std::unique_ptr<OptionValue> bind_option(int64_t&);
template std::unique_ptr<OptionValue> bind_option(uint64_t&);
template std::unique_ptr<OptionValue> bind_option(float&);
template std::unique_ptr<OptionValue> bind_option(double&);
template std::unique_ptr<OptionValue> bind_option(std::string&);
template std::unique_ptr<OptionValue> bind_option(std::filesystem::path&);
template std::unique_ptr<OptionValue> bind_option(std::optional<int>&);
template std::unique_ptr<OptionValue> bind_option(std::optional<int64_t>&);
template std::unique_ptr<OptionValue> bind_option(std::optional<uint64_t>&);
template std::unique_ptr<OptionValue> bind_option(std::optional<double>&);
template std::unique_ptr<OptionValue> bind_option(std::optional<std::string>&);
template std::unique_ptr<OptionValue> bind_option(std::optional<std::filesystem::path>&);
template std::unique_ptr<OptionValue> bind_option(std::vector<int>&);
template std::unique_ptr<OptionValue> bind_option(std::vector<int64_t>&);
template std::unique_ptr<OptionValue> bind_option(std::vector<uint64_t>&);
template std::unique_ptr<OptionValue> bind_option(std::vector<double>&);
template std::unique_ptr<OptionValue> bind_option(std::vector<std::string>&);
template std::unique_ptr<OptionValue> bind_option(std::vector<std::filesystem::path>&);

Option& OptionTable::add_parsed(std::string_view names, std::string value_name, std::string help,
                                std::function<void(const std::string&)> parse,
                                std::function<std::string()> text) {
  return add_row(names, std::make_unique<ParsedValue>(std::move(parse), std::move(text)),
                 std::move(value_name), std::move(help));
}

}  // namespace tessera::core
