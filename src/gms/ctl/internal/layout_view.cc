#include "gms/ctl/internal/layout_view.h"

#include <algorithm>
#include <map>
#include <set>

#include "command_line/text_table.h"
#include "gms/ctl/internal/words.h"

namespace hearth::gms::ctl {
namespace {

using command_line::TextTable;
using json::Value;
constexpr auto kRight = TextTable::Align::kRight;
// As many characters of what is no tensor's description as fit beside the rest.
constexpr size_t kShownValue = 24;

std::set<std::string> Used(const std::vector<LayoutView::Tensor>& tensors) {
  std::set<std::string> ids;
  for (const LayoutView::Tensor& tensor : tensors) {
    ids.insert(tensor.allocation_id);
  }
  return ids;
}

}  // namespace

LayoutView LayoutView::WithPrefix(std::string_view prefix) const {
  if (prefix.empty()) {
    return *this;
  }
  LayoutView part;
  std::copy_if(tensors.begin(), tensors.end(), std::back_inserter(part.tensors),
               [&](const Tensor& tensor) { return tensor.key.starts_with(prefix); });
  const std::set<std::string> used = Used(part.tensors);
  std::copy_if(allocations.begin(), allocations.end(), std::back_inserter(part.allocations),
               [&](const Allocation& allocation) { return used.contains(allocation.id); });
  return part;
}

std::string LayoutView::Table() const {
  TextTable table({{"TENSOR"},
                   {"TYPE"},
                   {"SHAPE"},
                   {"ALLOCATION"},
                   {"OFFSET", kRight},
                   {"OF", kRight},
                   {"TAG"}});
  std::map<std::string, const Allocation*> by_id;
  for (const Allocation& allocation : allocations) {
    by_id[allocation.id] = &allocation;
  }
  for (const Tensor& tensor : tensors) {
    const TensorWords words = DescribeTensor(tensor.value);
    const auto at = by_id.find(tensor.allocation_id);
    const bool known = at != by_id.end();
    table.Add({tensor.key, words.dtype,
               words.shape.empty() ? tensor.value.substr(0, kShownValue) : words.shape,
               ShortHash(tensor.allocation_id), std::to_string(tensor.offset),
               known ? SizeText(at->second->size) : "", known ? at->second->tag : ""});
  }
  const std::set<std::string> used = Used(tensors);
  for (const Allocation& allocation : allocations) {
    if (!used.contains(allocation.id)) {
      table.Add(
          {"", "", "", ShortHash(allocation.id), "", SizeText(allocation.size), allocation.tag});
    }
  }
  return table.empty() ? "" : table.Text();
}

void LayoutView::AddJson(Value& to) const {
  Value& tensor_list = to["tensors"] = Value::Array();
  for (const Tensor& tensor : tensors) {
    Value one = Value::Object({{"key", tensor.key},
                               {"allocation_id", tensor.allocation_id},
                               {"offset_bytes", tensor.offset}});
    const auto [name, value] = ValueMember(tensor.value);
    one.Set(name, value);
    tensor_list.Append(std::move(one));
  }
  Value& allocation_list = to["allocations"] = Value::Array();
  for (const Allocation& allocation : allocations) {
    allocation_list.Append(Value::Object({{"allocation_id", allocation.id},
                                          {"size", allocation.size},
                                          {"aligned_size", allocation.aligned_size},
                                          {"tag", allocation.tag}}));
  }
}

}  // namespace hearth::gms::ctl
