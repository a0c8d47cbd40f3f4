#include "api/core/type_table.h"

#include <algorithm>
#include <numeric>

#include "api/core/internal/type_table_text.h"
#include "base/check.h"

namespace hearth::api::core {
namespace {

// How many characters to change, add or take away (Levenshtein).
size_t Distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t changed = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

const Field* KubeType::Find(std::string_view field) const {
  const auto found = std::find_if(fields.begin(), fields.end(),
                                  [&](const Field& candidate) { return candidate.name == field; });
  return found == fields.end() ? nullptr : &*found;
}

const KubeType* TypeTable::Find(std::string_view type) const {
  const auto found = std::lower_bound(
      types_.begin(), types_.end(), type,
      [](const KubeType& candidate, std::string_view name) { return candidate.name < name; });
  return found == types_.end() || found->name != type ? nullptr : &*found;
}

const KubeType& TypeTable::Get(std::string_view type) const {
  const KubeType* found = Find(type);
  CHECK(found != nullptr) << "no Kubernetes type '" << type << "'; near it: " << Nearest(type);
  return *found;
}

std::string TypeTable::Nearest(std::string_view type) const {
  std::vector<std::pair<size_t, std::string_view>> names;
  for (const KubeType& candidate : types_) {
    names.emplace_back(Distance(type, candidate.name), candidate.name);
  }
  std::sort(names.begin(), names.end());
  names.resize(std::min<size_t>(names.size(), 3));
  std::string list;
  for (const auto& [distance, name] : names) {
    list.append(list.empty() ? "" : ", ").append(name);
  }
  return list;
}

const TypeTable& KubernetesTypes() {
  static const TypeTable kTable = TypeTable::Parse(internal::KubernetesTypesText());
  return kTable;
}

const Field* FieldAt(std::string_view type, const std::vector<std::string_view>& path) {
  const KubeType* at = &KubernetesTypes().Get(type);
  const Field* field = nullptr;
  bool inside_map = false;  // the next name is a key
  for (const std::string_view name : path) {
    if (inside_map) {
      inside_map = false;
      field = nullptr;
      continue;
    }
    field = at == nullptr ? nullptr : at->Find(name);
    if (field == nullptr) {
      return nullptr;
    }
    at = KubernetesTypes().Find(field->type);
    inside_map = field->shape == Field::Shape::kMap;
  }
  return field;
}

}  // namespace hearth::api::core
