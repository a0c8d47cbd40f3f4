#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "json/value.h"
#include "json/yaml.h"

// YAML together with where everything stands in the text: for whoever tells people about it.
namespace hearth::json {

// Lines and columns count from 1, columns in characters. 0: not known.
struct TextPosition {
  int line = 0;
  int column = 0;

  friend bool operator==(const TextPosition&, const TextPosition&) = default;
};

// A tree beside the Value's. What came through an alias or a merge key stands where it is written.
struct YamlPlace {
  TextPosition key;  // of a member its name; of a document or an item the same as `value`
  TextPosition value;
  std::vector<YamlPlace> below;  // of members or items, in the Value's order
};

struct YamlDocument {
  Value value;
  YamlPlace place;
};

struct YamlStream {
  std::vector<YamlDocument> documents;  // up to the fault
  Status status;                        // what ends them too early; without the place
  TextPosition failed_at;               // line 0: about no single place
};

// As ParseYaml, but what stands in front of a fault is not lost.
YamlStream ParseYamlWithPositions(std::string_view text, const YamlLimits& limits = {});

// A path as findings write it (spec.components[2].name, spec.labels[a.b/c] or spec.labels.a.b/c),
// followed as far as it goes.
struct ResolvedPath {
  std::vector<size_t> steps;  // which member or item, from the root
  std::string_view rest;      // of `path`, what is not there; without a dot in front
};
// Names may have dots and brackets in them: of all ways to read the path the one that leads
// furthest counts. "" and "<nil>" are the root. Looks at each node once at most.
ResolvedPath ResolvePath(const Value& root, std::string_view path);
// CHECKs that the steps are there.
const YamlPlace& PlaceAt(const YamlPlace& root, const std::vector<size_t>& steps);

}  // namespace hearth::json
