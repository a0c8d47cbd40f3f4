#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/value.h"

namespace hearth::json {

struct YamlLimits {
  size_t max_bytes = size_t{16} << 20;
  int max_depth = 128;
  // Nodes after aliases are expanded: what stops a "billion laughs" document.
  size_t max_nodes = 1'000'000;
  // Of these, what aliases stand for: a short text must not be a large object.
  size_t max_alias_nodes = 100'000;
  size_t max_documents = 10'000;
};

// YAML as kubectl reads it (YAML 1.1 scalars: yes and on are booleans, 0o17 and 017 octal, quoted
// stays a string), several documents separated by ---; empty documents are left out. JSON is YAML
// too. Errors are kInvalid (kExhausted for limits) with line and column. Duplicate keys, keys that
// are not scalars, and tags other than the standard ones are errors. Merge keys (<<) work; what a
// mapping says itself wins wherever they stand (kubectl lets the later one win). The last line is
// ended where the text does not end it, so that a block of text (|) there is the same either way.
Result<std::vector<Value>> ParseYaml(std::string_view text, const YamlLimits& limits = {});
// Exactly one document.
Result<Value> ParseYamlDocument(std::string_view text, const YamlLimits& limits = {});

// Block style, two spaces, members in their order; strings are quoted exactly when a YAML 1.1
// reader would take them for something else. Reads back to the same value.
std::string WriteYaml(const Value& value);
std::string WriteYaml(const std::vector<Value>& documents);  // with --- between

}  // namespace hearth::json
