#include "json/internal/json_places.h"

namespace hearth::json::internal {
namespace {

// Walks text that is known to be JSON; steps over what it does not look at.
class Walker {
 public:
  explicit Walker(std::string_view text) : text_(text) {}

  YamlPlace Walk(const Value& value) {
    SkipTo("{[\"-0123456789tfn");
    YamlPlace place{.key = position_, .value = position_};
    if (value.IsObject()) {
      WalkMembers(value.members(), place);
    } else if (value.IsArray()) {
      WalkItems(value.items(), place);
    } else if (value.IsString()) {
      SkipString();
    } else {
      SkipLiteral();
    }
    return place;
  }

 private:
  void WalkMembers(const Value::Members& members, YamlPlace& place) {
    place.below.reserve(members.size());
    Advance();
    for (const Value::Member& member : members) {
      SkipTo("\"");
      const TextPosition key = position_;
      SkipString();
      SkipTo(":");
      Advance();
      place.below.push_back(Walk(member.second));
      place.below.back().key = key;
    }
    SkipTo("}");
    Advance();
  }

  void WalkItems(const Value::Items& items, YamlPlace& place) {
    place.below.reserve(items.size());
    Advance();
    for (const Value& item : items) {
      place.below.push_back(Walk(item));
    }
    SkipTo("]");
    Advance();
  }

  void SkipTo(std::string_view wanted) {
    while (offset_ < text_.size() && wanted.find(text_[offset_]) == std::string_view::npos) {
      Advance();
    }
  }

  void SkipString() {
    Advance();
    while (offset_ < text_.size() && text_[offset_] != '"') {
      if (text_[offset_] == '\\') {
        Advance();
      }
      Advance();
    }
    Advance();
  }

  void SkipLiteral() {
    while (offset_ < text_.size() &&
           std::string_view(",]} \t\r\n").find(text_[offset_]) == std::string_view::npos) {
      Advance();
    }
  }

  void Advance() {
    const char c = offset_ < text_.size() ? text_[offset_++] : '\0';
    if (c == '\n') {
      ++position_.line;
      position_.column = 1;
    } else if ((static_cast<unsigned char>(c) & 0xC0) != 0x80) {  // a character's first byte
      ++position_.column;
    }
  }

  std::string_view text_;
  size_t offset_ = 0;
  TextPosition position_{1, 1};
};

}  // namespace

YamlPlace JsonPlaces(std::string_view text, const Value& value) { return Walker(text).Walk(value); }

}  // namespace hearth::json::internal
