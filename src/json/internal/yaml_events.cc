#include "json/internal/yaml_events.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "base/check.h"

namespace hearth::json::internal {
namespace {

std::string_view Text(const yaml_char_t* text) {
  return text == nullptr ? std::string_view() : reinterpret_cast<const char*>(text);
}

// libyaml tells only the offset for bytes it cannot read.
yaml_mark_t MarkAt(std::string_view text, size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const size_t line_begin = before.rfind('\n') + 1;  // 0 when there is none
  yaml_mark_t mark = {};
  mark.index = offset;
  mark.line = static_cast<size_t>(std::count(before.begin(), before.end(), '\n'));
  mark.column = before.size() - line_begin;
  return mark;
}

}  // namespace

std::string_view YamlEvent::tag() const {
  switch (raw_.type) {
    case YAML_SCALAR_EVENT:
      return Text(raw_.data.scalar.tag);
    case YAML_SEQUENCE_START_EVENT:
      return Text(raw_.data.sequence_start.tag);
    case YAML_MAPPING_START_EVENT:
      return Text(raw_.data.mapping_start.tag);
    default:
      return {};
  }
}

std::string_view YamlEvent::anchor() const {
  switch (raw_.type) {
    case YAML_ALIAS_EVENT:
      return Text(raw_.data.alias.anchor);
    case YAML_SCALAR_EVENT:
      return Text(raw_.data.scalar.anchor);
    case YAML_SEQUENCE_START_EVENT:
      return Text(raw_.data.sequence_start.anchor);
    case YAML_MAPPING_START_EVENT:
      return Text(raw_.data.mapping_start.anchor);
    default:
      return {};
  }
}

std::string_view YamlEvent::text() const {
  return {reinterpret_cast<const char*>(raw_.data.scalar.value), raw_.data.scalar.length};
}

YamlEvents::YamlEvents(std::string_view text) : text_(text), parser_() {
  CHECK(yaml_parser_initialize(&parser_) != 0) << "no memory for a YAML parser";
  yaml_parser_set_encoding(&parser_, YAML_UTF8_ENCODING);
  yaml_parser_set_input_string(&parser_, reinterpret_cast<const yaml_char_t*>(text_.data()),
                               text_.size());
}

YamlEvents::~YamlEvents() { yaml_parser_delete(&parser_); }

Result<YamlEvent> YamlEvents::Next() {
  YamlEvent event;
  if (yaml_parser_parse(&parser_, &event.raw()) == 0) {
    return Failure();
  }
  return event;
}

Status YamlEvents::Failure() const {
  CHECK(parser_.error != YAML_MEMORY_ERROR) << "no memory for a YAML document";
  const std::string_view problem = parser_.problem == nullptr ? "not YAML" : parser_.problem;
  if (parser_.error == YAML_READER_ERROR) {
    const size_t offset = std::min(parser_.problem_offset, text_.size());
    return InvalidError(AtMark(MarkAt(text_, offset), problem));
  }
  return InvalidError(
      AtMark(parser_.problem_mark, parser_.context == nullptr
                                       ? std::string(problem)
                                       : fmt::format("{} {}", problem, parser_.context)));
}

std::string AtMark(const yaml_mark_t& mark, std::string_view what) {
  return fmt::format("line {}, column {}: {}", mark.line + 1, mark.column + 1, what);
}

MarkedText SplitMark(std::string_view message) {
  MarkedText marked{.text = message};
  int length = 0;
  const std::string text(message.substr(0, 64));
  if (std::sscanf(text.c_str(), "line %d, column %d: %n", &marked.line, &marked.column, &length) ==
          2 &&
      length > 0) {
    marked.text.remove_prefix(static_cast<size_t>(length));
  }
  return marked;
}

}  // namespace hearth::json::internal
