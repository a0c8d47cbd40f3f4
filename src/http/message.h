#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hearth::http {

// Header fields in order; names compare without case. A small list: looked up by scanning.
class Headers {
 public:
  Headers() = default;
  Headers(std::initializer_list<std::pair<std::string, std::string>> fields) : fields_(fields) {}

  void Add(std::string_view name, std::string_view value);
  void Set(std::string_view name, std::string_view value);  // replaces all of that name
  void Erase(std::string_view name);
  // The first of that name; empty when there is none.
  std::string_view Get(std::string_view name) const;
  bool Has(std::string_view name) const;
  std::vector<std::string_view> GetAll(std::string_view name) const;
  const std::vector<std::pair<std::string, std::string>>& fields() const { return fields_; }

 private:
  std::vector<std::pair<std::string, std::string>> fields_;
};

struct Request {
  std::string method = "GET";
  std::string target = "/";  // path and query, already escaped
  Headers headers;
  std::string body;
};

struct Response {
  int status = 0;
  Headers headers;
  std::string body;
};

// Percent-escapes everything but unreserved characters.
std::string EscapeComponent(std::string_view text);
std::string UnescapeComponent(std::string_view text);  // '+' stays; broken escapes stay as they are
using QueryPairs = std::vector<std::pair<std::string, std::string>>;
std::string WriteQuery(const QueryPairs& pairs);  // a=b&c=d, escaped; "" when empty
QueryPairs ParseQuery(std::string_view query);    // without the '?'
std::string_view StatusText(int status);

}  // namespace hearth::http
