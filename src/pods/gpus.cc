#include "pods/gpus.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "json/quantity.h"

namespace hearth::pods {
namespace {

using json::Value;

constexpr std::string_view kAmounts[] = {"limits", "requests"};

const Value* Amounts(const Value& container, std::string_view which) {
  const Value* const resources = container.Find("resources");
  const Value* const amounts = resources == nullptr ? nullptr : resources->Find(which);
  return amounts != nullptr && amounts->IsObject() ? amounts : nullptr;
}

// Of several the first by name, so that every reader takes the same one.
const Value::Member* FirstGpu(const Value& amounts) {
  const Value::Member* first = nullptr;
  for (const Value::Member& member : amounts.members()) {
    if (IsGpu(member.first) && (first == nullptr || member.first < first->first)) {
      first = &member;
    }
  }
  return first;
}

Result<int64_t> WholeNumber(const Value::Member& gpu) {
  const auto number = gpu.second.Int();
  if (number) {
    return *number;
  }
  const std::string text = gpu.second.IsString() ? gpu.second.string() : gpu.second.Write();
  const auto quantity = json::Quantity::Parse(text);
  const auto whole = quantity.ok() ? quantity->ToInt() : std::nullopt;
  if (!whole) {
    return InvalidError(
        fmt::format("GPU resource \"{}\" quantity \"{}\" must be a whole number", gpu.first, text));
  }
  return *whole;
}

}  // namespace

bool IsGpu(std::string_view resource) {
  std::string name(resource);
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) {
    return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  });
  return name == "gpu" || name.ends_with("/gpu") || name.find("/mig-") != std::string::npos ||
         name.starts_with("gpu.");
}

Result<int64_t> GpuCount(const Value& container) {
  for (const std::string_view which : kAmounts) {
    const Value* const amounts = Amounts(container, which);
    const Value::Member* const gpu = amounts == nullptr ? nullptr : FirstGpu(*amounts);
    if (gpu != nullptr) {
      return WholeNumber(*gpu);
    }
  }
  return 0;
}

void RemoveGpus(Value& container) {
  Value* const resources = container.Find("resources");
  if (resources == nullptr || !resources->IsObject()) {
    return;
  }
  for (const std::string_view which : kAmounts) {
    Value* const amounts = resources->Find(which);
    if (amounts == nullptr || !amounts->IsObject()) {
      continue;
    }
    std::erase_if(amounts->members(),
                  [](const Value::Member& member) { return IsGpu(member.first); });
    if (amounts->members().empty()) {
      resources->Erase(which);
    }
  }
  if (resources->members().empty()) {
    container.Erase("resources");
  }
}

}  // namespace hearth::pods
