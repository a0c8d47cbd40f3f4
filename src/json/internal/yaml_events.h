#pragma once

#include <yaml.h>

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

// libyaml's event stream with owners and statuses. Only for .cc files.
namespace hearth::json::internal {

class YamlEvent {
 public:
  YamlEvent() : raw_() {}
  ~YamlEvent() { yaml_event_delete(&raw_); }
  YamlEvent(YamlEvent&& other) noexcept : raw_(other.raw_) { other.raw_ = yaml_event_t(); }
  YamlEvent& operator=(YamlEvent&&) = delete;

  yaml_event_type_t type() const { return raw_.type; }
  const yaml_mark_t& mark() const { return raw_.start_mark; }
  yaml_event_t& raw() { return raw_; }

  // What a scalar, sequence or mapping carries; empty when it has none.
  std::string_view tag() const;
  std::string_view anchor() const;  // an alias's name, too

  // A scalar only.
  std::string_view text() const;
  bool IsPlain() const { return raw_.data.scalar.style == YAML_PLAIN_SCALAR_STYLE; }

 private:
  yaml_event_t raw_;
};

// Reads one text front to back. The text must outlive it.
class YamlEvents {
 public:
  explicit YamlEvents(std::string_view text);
  ~YamlEvents();
  YamlEvents(const YamlEvents&) = delete;
  YamlEvents& operator=(const YamlEvents&) = delete;

  // kInvalid with the place where the text stops being YAML.
  Result<YamlEvent> Next();

 private:
  Status Failure() const;

  std::string_view text_;
  yaml_parser_t parser_;
};

// "line 3, column 5: what"
std::string AtMark(const yaml_mark_t& mark, std::string_view what);
// What AtMark put together; 0 and the whole text when it did not.
struct MarkedText {
  int line = 0;
  int column = 0;
  std::string_view text;
};
MarkedText SplitMark(std::string_view message);

}  // namespace hearth::json::internal
