#include "json/internal/list_keys.h"
#include "json/strategic_merge.h"

namespace hearth::json {
namespace {

// Answers from the one table of list keys.
class TableSchema final : public MergeSchema {
 public:
  TableSchema() {
    for (const internal::ListKey& row : internal::AllListKeys()) {
      lists_.push_back({std::string(row.key), row.retain_keys});
    }
  }

  const List* ListAt(const std::vector<std::string_view>& path) const override {
    const internal::ListKey* row = internal::FindListKey(path);
    return row == nullptr ? nullptr : &lists_[row - internal::AllListKeys().data()];
  }

  bool RetainKeysAt(const std::vector<std::string_view>& path) const override {
    const List* list = ListAt(path);
    return (list != nullptr && list->retain_keys) || IsDeploymentStrategy(path);
  }

 private:
  static bool IsDeploymentStrategy(const std::vector<std::string_view>& path) {
    return path.size() > 1 && path.back() == "strategy" && path[path.size() - 2] == "spec";
  }

  std::vector<List> lists_;  // row by row as the table has them
};

}  // namespace

const MergeSchema& PodMergeSchema() {
  static const TableSchema kSchema;
  return kSchema;
}

}  // namespace hearth::json
