#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "json/quantity.h"

// The canonical form of whatever is a quantity is one, the same, and its own canonical form.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using hearth::json::Quantity;
  const auto quantity = Quantity::Parse({reinterpret_cast<const char*>(data), size});
  if (!quantity.ok()) {
    return 0;
  }
  const std::string text = quantity->ToString();
  const auto again = Quantity::Parse(text);
  CHECK(again.ok()) << again.status().ToString();
  CHECK(*again == *quantity && again->Hash() == quantity->Hash()) << text;
  CHECK(again->ToString() == text) << text;
  CHECK(again->Value() == quantity->Value() && again->MilliValue() == quantity->MilliValue());
  return 0;
}
