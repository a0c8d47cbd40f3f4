#include "json/internal/field_path.h"

#include <algorithm>

namespace hearth::json::internal {
namespace {

constexpr std::string_view kElement = "[]";
constexpr std::string_view kQuoteOpen = "['";
constexpr std::string_view kQuoteClose = "']";
constexpr std::string_view kNotInPlainNames = ".[]'";

}  // namespace

bool FieldPathReader::Fail(std::string_view problem) {
  problem_ = problem;
  return false;
}

bool FieldPathReader::NextPlain() {
  const size_t end = std::min(path_.find_first_of(kNotInPlainNames, at_), path_.size());
  name_ = path_.substr(at_, end - at_);
  if (name_.empty()) {
    return Fail("a member name is missing");
  }
  at_ = end;
  return true;
}

bool FieldPathReader::NextQuoted() {
  const size_t begin = at_ + kQuoteOpen.size();
  const size_t end = path_.find(kQuoteClose, begin);
  if (end == std::string_view::npos) {
    return Fail("['name'] is not closed");
  }
  name_ = path_.substr(begin, end - begin);
  at_ = end + kQuoteClose.size();
  return true;
}

bool FieldPathReader::Next() {
  if (malformed() || (at_ == path_.size() && at_ != 0)) {
    return false;
  }
  const std::string_view rest = path_.substr(at_);
  is_element_ = rest.starts_with(kElement);
  if (is_element_) {
    at_ += kElement.size();
    return true;
  }
  if (rest.starts_with(kQuoteOpen)) {
    return NextQuoted();
  }
  if (at_ != 0) {
    if (rest[0] != '.') {
      return Fail("expected '.', [] or ['name']");
    }
    ++at_;
  }
  return NextPlain();
}

void AppendMemberStep(std::string& path, std::string_view name) {
  const bool plain =
      !name.empty() && name.find_first_of(kNotInPlainNames) == std::string_view::npos;
  if (!plain) {
    path.append(kQuoteOpen).append(name).append(kQuoteClose);
    return;
  }
  if (!path.empty()) {
    path += '.';
  }
  path.append(name);
}

}  // namespace hearth::json::internal
