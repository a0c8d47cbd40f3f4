#pragma once

#include <string>
#include <string_view>
#include <vector>

// What Kubernetes takes for a name. Each gives the server's words for what is wrong, nothing when
// nothing is.
namespace hearth::schema {

std::vector<std::string> CheckDns1123Label(std::string_view text);
std::vector<std::string> CheckDns1123Subdomain(std::string_view text);
std::vector<std::string> CheckDns1035Label(std::string_view text);
// The key of a label: a name of 63 characters, with or without a DNS subdomain and '/' before it.
std::vector<std::string> CheckQualifiedName(std::string_view text);
std::vector<std::string> CheckLabelValue(std::string_view text);
// What may be part of a URL's path: not ".", not "..", no '/' and no '%'. The start of such a name
// when `prefix`.
std::vector<std::string> CheckPathSegment(std::string_view text, bool prefix);

}  // namespace hearth::schema
