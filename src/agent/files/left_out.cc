#include "agent/files/left_out.h"

#include <fnmatch.h>

#include "base/strings.h"

namespace hearth::agent {
namespace {

constexpr std::string_view kGlobCharacters = "*?[\\";

}  // namespace

std::string NormalizeExclusion(std::string_view pattern) {
  pattern = Trim(pattern);
  if (pattern.starts_with('*')) {
    return std::string(pattern);
  }
  while (pattern.starts_with('/') || pattern.starts_with("./")) {
    pattern.remove_prefix(1);
  }
  while (pattern.ends_with('/')) {
    pattern.remove_suffix(1);
  }
  if (pattern.empty() || pattern == ".") {
    return "";
  }
  return "./" + std::string(pattern);
}

LeftOut::LeftOut(const std::vector<std::string>& exclusions,
                 const std::vector<std::string>& bind_destinations) {
  using Form = Pattern::Form;
  for (const std::string& exclusion : exclusions) {
    const std::string text = NormalizeExclusion(exclusion);
    if (text.empty()) {
      continue;
    }
    if (text.find_first_of(kGlobCharacters) == std::string::npos) {
      patterns_.push_back({Form::kExact, text});
    } else if (text[0] == '*' && text.find_first_of(kGlobCharacters, 1) == std::string::npos) {
      patterns_.push_back({Form::kEnding, text.substr(1)});
    } else {
      patterns_.push_back({Form::kGlob, text});
    }
  }
  for (const std::string& destination : bind_destinations) {
    std::string text = NormalizeExclusion("/" + destination);
    if (!text.empty()) {
      patterns_.push_back({Form::kExact, std::move(text)});
    }
  }
}

bool LeftOut::Matches(const Pattern& pattern, const std::string& dotted) const {
  switch (pattern.form) {
    case Pattern::Form::kExact:
      return dotted == pattern.text;
    case Pattern::Form::kEnding:
      return dotted.ends_with(pattern.text);
    case Pattern::Form::kGlob:
      return ::fnmatch(pattern.text.c_str(), dotted.c_str(), 0) == 0;
  }
  return false;
}

bool LeftOut::CoversItself(std::string_view path) const {
  if (path.empty() || patterns_.empty()) {
    return false;
  }
  std::string dotted = "./";
  dotted += path;
  for (const Pattern& pattern : patterns_) {
    if (Matches(pattern, dotted)) {
      return true;
    }
  }
  return false;
}

bool LeftOut::Covers(std::string_view path) const {
  for (size_t slash = path.find('/'); slash != std::string_view::npos;
       slash = path.find('/', slash + 1)) {
    if (CoversItself(path.substr(0, slash))) {
      return true;
    }
  }
  return CoversItself(path);
}

}  // namespace hearth::agent
