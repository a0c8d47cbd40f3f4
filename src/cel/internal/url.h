#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace hearth::cel::internal {

// A URL taken apart as Go's net/url does it.
struct Url {
  std::string scheme;  // lower case
  std::string host;    // with port and brackets
  std::string path;    // escaped
  std::string opaque;  // what follows the scheme when that is no path
  std::string query;   // as written
  std::string fragment;
  friend bool operator==(const Url&, const Url&) = default;
};

// Go's ParseRequestURI: an absolute URL or an absolute path, a fragment not set apart.
Result<Url> ParseRequestUri(std::string_view text);
// Go's Parse: any reference.
Result<Url> ParseUrl(std::string_view text);

std::string_view HostName(const Url& url);  // without port and brackets
std::string_view Port(const Url& url);
// Each name's values in the order they stand; parts that are no valid escapes are left out.
std::map<std::string, std::vector<std::string>> Query(const Url& url);

}  // namespace hearth::cel::internal
