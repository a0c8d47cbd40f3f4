#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hearth::agent {

// What of a container's files is neither saved nor touched: patterns that somebody configured, and
// the places where volumes are mounted. A pattern means what it means to `tar --exclude`: "/x" and
// "x" are x at the root, one that begins with * matches anywhere, * matches slashes, and what is
// below something excluded is excluded. Immutable; thread-safe.
class LeftOut {
 public:
  LeftOut() = default;
  LeftOut(const std::vector<std::string>& exclusions,
          const std::vector<std::string>& bind_destinations);

  // Whether `path` ("etc/passwd") or something that it is below is left out.
  bool Covers(std::string_view path) const;
  // The same for who walks from the root down and has asked about everything above.
  bool CoversItself(std::string_view path) const;

 private:
  struct Pattern {
    enum class Form { kExact, kEnding, kGlob };
    Form form;
    std::string text;  // what of the pattern is compared
  };
  bool Matches(const Pattern& pattern, const std::string& dotted) const;

  std::vector<Pattern> patterns_;
};

// "./x" for a path; "" for a pattern that says nothing.
std::string NormalizeExclusion(std::string_view pattern);

}  // namespace hearth::agent
