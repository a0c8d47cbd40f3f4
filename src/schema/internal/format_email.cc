// An address as RFC 5322 and Go's mail.ParseAddress have it: local@domain, or a display name and
// <local@domain>, with comments after it.
#include <algorithm>

#include "schema/internal/format_checks.h"

namespace hearth::schema::internal {
namespace {

bool IsAtomChar(char c) {
  return static_cast<unsigned char>(c) >= 0x80 || (c >= 'a' && c <= 'z') ||
         (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("!#$%&'*+-/=?^_`{|}~").find(c) != std::string_view::npos;
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  bool Address() {
    SkipSpace();
    const std::string_view start = text_;
    if (AddrSpec() && AtEnd()) {
      return true;
    }
    text_ = start;
    if (!text_.starts_with('<') && !Phrase()) {
      return false;
    }
    SkipSpace();
    return Take('<') && AddrSpec() && Take('>') && AtEnd();
  }

 private:
  void SkipSpace() { text_.remove_prefix(std::min(text_.find_first_not_of(" \t"), text_.size())); }
  bool Take(char c) {
    if (!text_.starts_with(c)) {
      return false;
    }
    text_.remove_prefix(1);
    return true;
  }
  bool AtEnd() {
    SkipSpace();
    while (text_.starts_with('(')) {
      if (!Comment()) {
        return false;
      }
      SkipSpace();
    }
    return text_.empty();
  }
  bool Comment() {
    int depth = 0;
    for (size_t i = 0; i < text_.size(); ++i) {
      if (text_[i] == '\\') {
        ++i;
      } else if (text_[i] == '(') {
        ++depth;
      } else if (text_[i] == ')' && --depth == 0) {
        text_.remove_prefix(i + 1);
        return true;
      }
    }
    return false;
  }
  bool AddrSpec() {
    SkipSpace();
    const bool local = text_.starts_with('"') ? Quoted(false) : Atom(false);
    if (!local || !Take('@')) {
      return false;
    }
    SkipSpace();
    return text_.starts_with('[') ? Literal() : Atom(false);
  }
  // Words with dots between them; a phrase may have dots anywhere.
  bool Atom(bool dots_anywhere) {
    size_t end = 0;
    while (end < text_.size() && (IsAtomChar(text_[end]) || text_[end] == '.')) {
      ++end;
    }
    const std::string_view atom = text_.substr(0, end);
    const bool dotted_wrong =
        atom.starts_with('.') || atom.ends_with('.') || atom.find("..") != std::string_view::npos;
    if (atom.empty() || (!dots_anywhere && dotted_wrong)) {
      return false;
    }
    text_.remove_prefix(end);
    return true;
  }
  bool Quoted(bool may_be_empty) {
    for (size_t i = 1; i < text_.size(); ++i) {
      const auto c = static_cast<unsigned char>(text_[i]);
      if (c == '"') {
        text_.remove_prefix(i + 1);
        return may_be_empty || i > 1;
      }
      if (c == '\\') {
        ++i;
      } else if (c < 0x20 && c != '\t') {
        return false;
      }
    }
    return false;
  }
  bool Literal() {
    const size_t close = text_.find(']');
    if (close == std::string_view::npos) {
      return false;
    }
    const std::string_view inside = text_.substr(1, close - 1);
    text_.remove_prefix(close + 1);
    return IsIpv4(inside) || (inside.starts_with("IPv6:") && IsIpv6(inside.substr(5)));
  }
  bool Phrase() {
    bool any = false;
    for (SkipSpace(); !text_.empty() && text_[0] != '<'; SkipSpace()) {
      if (!(text_.starts_with('"') ? Quoted(true) : Atom(true))) {
        return false;
      }
      any = true;
    }
    return any;
  }

  std::string_view text_;
};

}  // namespace

bool IsEmail(std::string_view text) { return Reader(text).Address(); }

}  // namespace hearth::schema::internal
