#include <fmt/format.h>

#include <optional>
#include <utility>

#include "base/seeded_hash.h"
#include "base/strings.h"
#include "json/internal/json_places.h"
#include "json/internal/same_value.h"
#include "json/internal/yaml_events.h"
#include "json/internal/yaml_scalar.h"
#include "json/internal/yaml_tag.h"
#include "json/parse.h"
#include "json/yaml.h"
#include "json/yaml_positions.h"

namespace hearth::json {
namespace {

using internal::AtMark;
using internal::CheckCollectionTag;
using internal::ResolveScalar;
using internal::YamlEvent;
using internal::YamlScalar;
using internal::YamlType;

// So many bytes of text weigh as much as one node more, or an alias of one long text, repeated,
// would fill the memory.
constexpr size_t kBytesPerNode = 64;

Status Wrong(const YamlEvent& event, std::string_view what) {
  return InvalidError(AtMark(event.mark(), what));
}

Status TooMuch(const YamlEvent& event, std::string_view what) {
  return ExhaustedError(AtMark(event.mark(), what));
}

// What a member is called whose key was read as `key`; nothing when such a key cannot be.
std::optional<std::string> NameFrom(const Value& key) {
  switch (key.kind()) {
    case Kind::kString:
      return key.string();
    case Kind::kNumber:
      return key.number();
    case Kind::kBool:
      return key.boolean() ? "true" : "false";
    default:
      return std::nullopt;
  }
}

class Reader {
 public:
  Reader(std::string_view text, const YamlLimits& limits) : events_(text), limits_(limits) {}

  // The next document; nothing after the last one. `place` may be null, here and below: nobody asks
  // where things stand.
  Result<std::optional<Value>> ReadDocument(YamlPlace* place);

 private:
  struct Anchored {
    Value value;
    YamlPlace place;
    size_t weight;
    int depth;
  };
  // A mapping while it is read.
  struct Mapping {
    Value::Members members;
    SeededSet<std::string> names;
    std::vector<Value> merged;  // objects, those in front win
    std::vector<YamlPlace> merged_places;
    bool has_merge = false;
  };

  // The node that `event` begins.
  Result<Value> ReadNode(const YamlEvent& event, int depth, YamlPlace* place);
  Result<Value> ReadContent(const YamlEvent& event, int depth, YamlPlace* place);
  Result<Value> ReadScalar(const YamlEvent& event);
  Result<Value> ReadSequence(const YamlEvent& event, int depth, YamlPlace* place);
  Result<Value> ReadMapping(const YamlEvent& event, int depth, YamlPlace* place);
  Status ReadMember(Mapping& mapping, const YamlEvent& key, int depth, YamlPlace* place);
  Status ReadMerge(Mapping& mapping, const YamlEvent& key, int depth, YamlPlace* place);
  static void Merge(Mapping& mapping, YamlPlace* place);
  Result<std::string> ReadName(const YamlEvent& key, int depth);
  Result<Value> Expand(const YamlEvent& alias, int depth, YamlPlace* place);

  Status Enter(const YamlEvent& event, int depth, std::string_view own_tags);
  Status Charge(const YamlEvent& event, size_t weight);

  internal::YamlEvents events_;
  const YamlLimits& limits_;
  SeededMap<std::string, Anchored> anchors_;  // of the document being read
  size_t used_ = 0;                           // of max_nodes
  size_t aliased_ = 0;                        // of max_alias_nodes, in this document
  size_t documents_ = 0;
};

TextPosition PositionOf(const YamlEvent& event) {
  return {static_cast<int>(event.mark().line) + 1, static_cast<int>(event.mark().column) + 1};
}

// A place for one child more; null when nobody asks.
YamlPlace* Below(YamlPlace* place) {
  return place == nullptr ? nullptr : &place->below.emplace_back();
}

Status Reader::Charge(const YamlEvent& event, size_t weight) {
  used_ += weight;
  if (used_ > limits_.max_nodes) {
    return TooMuch(event, fmt::format("more than {} nodes, aliases expanded", limits_.max_nodes));
  }
  return Status::Ok();
}

Result<std::optional<Value>> Reader::ReadDocument(YamlPlace* place) {
  while (true) {
    ASSIGN_OR_RETURN(const YamlEvent event, events_.Next());
    if (event.type() == YAML_STREAM_END_EVENT) {
      return std::optional<Value>();
    }
    if (event.type() != YAML_DOCUMENT_START_EVENT) {
      continue;  // stream start, document end
    }
    if (++documents_ > limits_.max_documents) {
      return TooMuch(event, fmt::format("more than {} documents", limits_.max_documents));
    }
    anchors_.clear();
    aliased_ = 0;
    ASSIGN_OR_RETURN(const YamlEvent root, events_.Next());
    const bool empty = root.type() == YAML_SCALAR_EVENT && root.IsPlain() && root.text().empty() &&
                       root.tag().empty() && root.anchor().empty();
    if (!empty) {
      ASSIGN_OR_RETURN(Value document, ReadNode(root, 0, place));
      return std::optional(std::move(document));
    }
  }
}

Result<Value> Reader::ReadNode(const YamlEvent& event, int depth, YamlPlace* place) {
  if (event.type() == YAML_ALIAS_EVENT) {
    return Expand(event, depth, place);
  }
  if (place != nullptr) {
    place->key = place->value = PositionOf(event);
  }
  const size_t before = used_;
  ASSIGN_OR_RETURN(Value value, ReadContent(event, depth, place));
  if (!event.anchor().empty()) {
    const size_t weight = used_ - before;
    RETURN_IF_ERROR(Charge(event, weight));  // for the copy that is kept
    anchors_.insert_or_assign(
        std::string(event.anchor()),
        Anchored{value, place == nullptr ? YamlPlace() : *place, weight, internal::Depth(value)});
  }
  return value;
}

Result<Value> Reader::ReadContent(const YamlEvent& event, int depth, YamlPlace* place) {
  switch (event.type()) {
    case YAML_SEQUENCE_START_EVENT:
      return ReadSequence(event, depth, place);
    case YAML_MAPPING_START_EVENT:
      return ReadMapping(event, depth, place);
    default:
      return ReadScalar(event);
  }
}

Result<Value> Reader::Expand(const YamlEvent& alias, int depth, YamlPlace* place) {
  const auto found = anchors_.find(std::string(alias.anchor()));
  if (found == anchors_.end()) {
    return Wrong(alias, fmt::format("the alias *{0} has no anchor &{0} that ends before it",
                                    Excerpt(alias.anchor(), 64)));
  }
  RETURN_IF_ERROR(Charge(alias, found->second.weight));
  aliased_ += found->second.weight;
  if (aliased_ > limits_.max_alias_nodes) {
    return TooMuch(alias, fmt::format("aliases stand for more than {} nodes; write them out",
                                      limits_.max_alias_nodes));
  }
  if (depth + found->second.depth > limits_.max_depth) {
    return TooMuch(alias, fmt::format("nested deeper than {}", limits_.max_depth));
  }
  if (place != nullptr) {
    *place = found->second.place;
  }
  return found->second.value;
}

Result<Value> Reader::ReadScalar(const YamlEvent& event) {
  RETURN_IF_ERROR(Charge(event, 1 + event.text().size() / kBytesPerNode));
  ASSIGN_OR_RETURN(YamlScalar scalar, ResolveScalar(event));
  if (scalar.type == YamlType::kNotFinite) {
    return Wrong(event, fmt::format("{} is a number that JSON cannot hold", event.text()));
  }
  return std::move(scalar.value);
}

// At the start of a sequence or mapping. `own_tags` are the standard ones it may carry.
Status Reader::Enter(const YamlEvent& event, int depth, std::string_view own_tags) {
  RETURN_IF_ERROR(Charge(event, 1));
  if (depth >= limits_.max_depth) {
    return TooMuch(event, fmt::format("nested deeper than {}", limits_.max_depth));
  }
  return CheckCollectionTag(event, own_tags);
}

Result<Value> Reader::ReadSequence(const YamlEvent& event, int depth, YamlPlace* place) {
  RETURN_IF_ERROR(Enter(event, depth, "seq omap pairs"));
  Value::Items items;
  while (true) {
    ASSIGN_OR_RETURN(const YamlEvent next, events_.Next());
    if (next.type() == YAML_SEQUENCE_END_EVENT) {
      return Value::FromItems(std::move(items));
    }
    ASSIGN_OR_RETURN(Value item, ReadNode(next, depth + 1, Below(place)));
    items.push_back(std::move(item));
  }
}

Result<Value> Reader::ReadMapping(const YamlEvent& event, int depth, YamlPlace* place) {
  RETURN_IF_ERROR(Enter(event, depth, "map set"));
  Mapping mapping;
  while (true) {
    ASSIGN_OR_RETURN(const YamlEvent key, events_.Next());
    if (key.type() == YAML_MAPPING_END_EVENT) {
      break;
    }
    RETURN_IF_ERROR(ReadMember(mapping, key, depth + 1, place));
  }
  Merge(mapping, place);
  return Value::FromMembers(std::move(mapping.members));
}

// What the mapping does not say itself.
void Reader::Merge(Mapping& mapping, YamlPlace* place) {
  for (size_t i = 0; i < mapping.merged.size(); ++i) {
    Value::Members& members = mapping.merged[i].members();
    for (size_t j = 0; j < members.size(); ++j) {
      if (!mapping.names.insert(members[j].first).second) {
        continue;
      }
      mapping.members.push_back(std::move(members[j]));
      if (place != nullptr) {
        place->below.push_back(std::move(mapping.merged_places[i].below[j]));
      }
    }
  }
}

bool IsMergeKey(const YamlEvent& key) {
  if (key.type() != YAML_SCALAR_EVENT) {
    return false;
  }
  const Result<YamlScalar> scalar = ResolveScalar(key);
  return scalar.ok() && scalar->type == YamlType::kMerge;
}

Status Reader::ReadMember(Mapping& mapping, const YamlEvent& key, int depth, YamlPlace* place) {
  if (IsMergeKey(key)) {
    return ReadMerge(mapping, key, depth, place);
  }
  ASSIGN_OR_RETURN(const std::string name, ReadName(key, depth));
  if (!mapping.names.insert(name).second) {
    return Wrong(key, fmt::format("the key \"{}\" stands twice", Excerpt(name, 128)));
  }
  ASSIGN_OR_RETURN(const YamlEvent event, events_.Next());
  YamlPlace* const below = Below(place);
  ASSIGN_OR_RETURN(Value value, ReadNode(event, depth, below));
  if (below != nullptr) {
    below->key = PositionOf(key);
  }
  mapping.members.emplace_back(name, std::move(value));
  return Status::Ok();
}

Status Reader::ReadMerge(Mapping& mapping, const YamlEvent& key, int depth, YamlPlace* place) {
  RETURN_IF_ERROR(Charge(key, 1));
  if (std::exchange(mapping.has_merge, true)) {
    return Wrong(key, "the key \"<<\" stands twice; merge several mappings as <<: [*a, *b]");
  }
  ASSIGN_OR_RETURN(const YamlEvent event, events_.Next());
  YamlPlace at;
  ASSIGN_OR_RETURN(Value value, ReadNode(event, depth, place == nullptr ? nullptr : &at));
  Value::Items sources;
  if (value.IsArray()) {
    sources = std::move(value.items());
    mapping.merged_places = std::move(at.below);
  } else {
    sources.push_back(std::move(value));
    mapping.merged_places.push_back(std::move(at));
  }
  for (const Value& source : sources) {
    if (!source.IsObject()) {
      return Wrong(event, fmt::format("<< takes a mapping or a list of mappings, not {}",
                                      KindName(source.kind())));
    }
  }
  mapping.merged = std::move(sources);
  return Status::Ok();
}

Result<std::string> Reader::ReadName(const YamlEvent& key, int depth) {
  if (key.type() == YAML_SCALAR_EVENT && key.anchor().empty()) {
    // Read here, because .inf may be a key though not a value.
    RETURN_IF_ERROR(Charge(key, 1 + key.text().size() / kBytesPerNode));
    ASSIGN_OR_RETURN(const YamlScalar scalar, ResolveScalar(key));
    if (std::optional<std::string> name = NameFrom(scalar.value)) {
      return *std::move(name);
    }
    return Wrong(key, "null cannot be a key; quote it");
  }
  ASSIGN_OR_RETURN(const Value value, ReadNode(key, depth, nullptr));
  std::optional<std::string> name = NameFrom(value);
  if (!name) {
    return Wrong(key, fmt::format("a key must be a string, not {}", KindName(value.kind())));
  }
  return *std::move(name);
}

size_t CountNodes(const Value& value) {
  size_t count = 1;
  if (value.IsArray()) {
    for (const Value& item : value.items()) {
      count += CountNodes(item);
    }
  } else if (value.IsObject()) {
    for (const auto& [name, member] : value.members()) {
      count += 1 + CountNodes(member);
    }
  }
  return count;
}

// JSON is YAML but for small things that libyaml refuses (surrogate escapes, very long keys), so
// what is JSON is read as JSON.
std::optional<Value> ReadAsJson(std::string_view text, const YamlLimits& limits) {
  const std::string_view trimmed = Trim(text);
  if (!trimmed.starts_with('{') && !trimmed.starts_with('[')) {
    return std::nullopt;
  }
  Result<Value> value =
      ParseValue(trimmed, {.max_bytes = limits.max_bytes, .max_depth = limits.max_depth});
  if (!value.ok() || CountNodes(*value) > limits.max_nodes || limits.max_documents == 0) {
    return std::nullopt;
  }
  return *std::move(value);
}

Status CheckSize(std::string_view text, const YamlLimits& limits) {
  if (text.size() > limits.max_bytes) {
    return ExhaustedError(
        fmt::format("the YAML has {} bytes; at most {} are taken", text.size(), limits.max_bytes));
  }
  return Status::Ok();
}

std::string_view WithoutMark(std::string_view text) {
  return text.starts_with("\xEF\xBB\xBF") ? text.substr(3) : text;
}

// kubectl reads line by line and ends the last line where the file does not: otherwise the text of
// a block (|) there would lack its line end. `copy` holds what is returned, if need be.
std::string_view WithLastLineEnded(std::string_view text, std::string& copy) {
  if (text.empty() || text.ends_with('\n')) {
    return text;
  }
  copy = text;
  copy += '\n';
  return copy;
}

// One document after the other, until there is none or one has a fault.
Status ReadDocuments(std::string_view text, const YamlLimits& limits,
                     std::vector<YamlDocument>& documents) {
  std::string copy;
  Reader reader(WithLastLineEnded(text, copy), limits);
  while (true) {
    YamlPlace place;
    ASSIGN_OR_RETURN(std::optional<Value> value, reader.ReadDocument(&place));
    if (!value) {
      return Status::Ok();
    }
    documents.push_back({*std::move(value), std::move(place)});
  }
}

}  // namespace

Result<std::vector<Value>> ParseYaml(std::string_view text, const YamlLimits& limits) {
  RETURN_IF_ERROR(CheckSize(text, limits));
  text = WithoutMark(text);
  std::vector<Value> documents;
  if (std::optional<Value> value = ReadAsJson(text, limits)) {
    documents.push_back(*std::move(value));
    return documents;
  }
  std::string copy;
  Reader reader(WithLastLineEnded(text, copy), limits);
  while (true) {
    ASSIGN_OR_RETURN(std::optional<Value> value, reader.ReadDocument(nullptr));
    if (!value) {
      return documents;
    }
    documents.push_back(*std::move(value));
  }
}

YamlStream ParseYamlWithPositions(std::string_view text, const YamlLimits& limits) {
  YamlStream stream;
  stream.status = CheckSize(text, limits);
  if (!stream.status.ok()) {
    return stream;
  }
  text = WithoutMark(text);
  if (std::optional<Value> value = ReadAsJson(text, limits)) {
    YamlPlace place = internal::JsonPlaces(text, *value);
    stream.documents.push_back({*std::move(value), std::move(place)});
    return stream;
  }
  const Status status = ReadDocuments(text, limits, stream.documents);
  if (!status.ok()) {
    const internal::MarkedText marked = internal::SplitMark(status.message());
    stream.status = Status(status.code(), std::string(marked.text));
    stream.failed_at = {marked.line, marked.column};
  }
  return stream;
}

Result<Value> ParseYamlDocument(std::string_view text, const YamlLimits& limits) {
  ASSIGN_OR_RETURN(std::vector<Value> documents, ParseYaml(text, limits));
  if (documents.size() != 1) {
    return InvalidError(
        fmt::format("expected exactly one YAML document, found {}", documents.size()));
  }
  return std::move(documents.front());
}

}  // namespace hearth::json
