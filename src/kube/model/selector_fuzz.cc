#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "kube/model/selector.h"

// What is understood is written in a way that is understood the same.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using hearth::kube::LabelSelector;
  const auto selector = LabelSelector::Parse({reinterpret_cast<const char*>(data), size});
  if (selector.ok()) {
    const auto again = LabelSelector::Parse(selector->ToString());
    CHECK(again.ok()) << selector->ToString();
    CHECK(again->requirements() == selector->requirements()) << selector->ToString();
    CHECK(again->ToString() == selector->ToString());
  }
  return 0;
}
