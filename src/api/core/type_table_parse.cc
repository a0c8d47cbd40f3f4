#include <algorithm>

#include "api/core/type_table.h"
#include "base/check.h"
#include "base/strings.h"

namespace hearth::api::core {
namespace {

// "map(containerPort,protocol)" is name and arguments; a word without brackets is all name.
struct Fact {
  std::string_view name;
  std::string_view argument;
  bool has_argument = false;
};

Fact FactOf(std::string_view word) {
  const size_t open = word.find('(');
  if (open == std::string_view::npos) {
    return {word, "", false};
  }
  CHECK(word.ends_with(')')) << "type table: " << word;
  return {word.substr(0, open), word.substr(open + 1, word.size() - open - 2), true};
}

// Columns are padded with many blanks, so these are stepped over instead of split at: every start
// of a program that knows these types comes through here.
std::vector<std::string_view> Words(std::string_view line) {
  std::vector<std::string_view> words;
  words.reserve(6);
  for (size_t begin = line.find_first_not_of(' '); begin != std::string_view::npos;
       begin = line.find_first_not_of(' ', begin)) {
    const size_t end = std::min(line.find(' ', begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    begin = end;
  }
  return words;
}

void SetType(Field& field, std::string_view type) {
  constexpr std::string_view kList = "[]";
  constexpr std::string_view kMap = "map[string]";
  if (type.starts_with(kList)) {
    field.shape = Field::Shape::kList;
    type.remove_prefix(kList.size());
  } else if (type.starts_with(kMap)) {
    field.shape = Field::Shape::kMap;
    type.remove_prefix(kMap.size());
  }
  CHECK(type.find('[') == std::string_view::npos) << "type table: " << field.name << " " << type;
  field.type = type;
}

// "atomic" means a list or a map, as the field is one or the other.
bool SetShape(Field& field, const Fact& fact) {
  if (fact.name == "map") {
    field.list_type = schema::ListType::kMap;
    field.list_map_keys = Split(fact.argument, ',');
  } else if (fact.name == "set") {
    field.list_type = schema::ListType::kSet;
  } else if (fact.name == "granular") {
    field.map_type = schema::MapType::kGranular;
  } else if (fact.name == "atomic" && field.shape == Field::Shape::kList) {
    field.list_type = schema::ListType::kAtomic;
  } else if (fact.name == "atomic") {
    field.map_type = schema::MapType::kAtomic;
  } else {
    return false;
  }
  return true;
}

bool SetPatch(PatchStrategy& patch, const Fact& fact) {
  if (fact.name == "merge") {
    patch.merge = true;
    patch.merge_key = fact.argument;
  } else if (fact.name == "retainKeys") {
    patch.retain_keys = true;
  } else {
    return false;
  }
  return true;
}

Field ParseField(const std::vector<std::string_view>& words) {
  CHECK(words.size() >= 2) << "type table: a field without a type: " << words.front();
  Field field;
  field.name = words[0];
  SetType(field, words[1]);
  for (size_t i = 2; i < words.size(); ++i) {
    const Fact fact = FactOf(words[i]);
    if (fact.name == "required") {
      field.required = true;
    } else if (fact.name == "default") {
      field.default_json = fact.argument;
    } else if (fact.name == "enum") {
      field.enumeration = Split(fact.argument, ',');
    } else {
      CHECK(SetShape(field, fact) || SetPatch(field.patch, fact))
          << "type table: " << field.name << " " << words[i];
    }
  }
  return field;
}

KubeType ParseType(const std::vector<std::string_view>& words) {
  CHECK(words.size() >= 2 && words[0] == "type") << "type table: " << words.front();
  KubeType type;
  type.name = words[1];
  for (size_t i = 2; i < words.size(); ++i) {
    const Fact fact = FactOf(words[i]);
    if (fact.name == "kind") {
      type.api_version = fact.argument;
    } else if (fact.name == "atomic") {
      type.map_type = schema::MapType::kAtomic;
    } else {
      // A structural schema cannot say which field goes with which discriminator.
      CHECK(fact.name == "union") << "type table: " << type.name << " " << words[i];
    }
  }
  return type;
}

}  // namespace

TypeTable TypeTable::Parse(std::string_view text) {
  TypeTable table;
  for (const std::string_view line : Split(text, '\n')) {
    const std::vector<std::string_view> words = Words(line);
    if (words.empty() || line.starts_with('#')) {
      continue;
    }
    if (!line.starts_with(' ')) {
      table.types_.push_back(ParseType(words));
      continue;
    }
    CHECK(!table.types_.empty()) << "type table: a field before the first type";
    table.types_.back().fields.push_back(ParseField(words));
  }
  CHECK(std::is_sorted(table.types_.begin(), table.types_.end(),
                       [](const KubeType& a, const KubeType& b) { return a.name < b.name; }))
      << "type table: types are not in order";
  return table;
}

}  // namespace hearth::api::core
