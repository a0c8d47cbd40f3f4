#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "json/time.h"

// What is a time reads back from both its forms, to the second and to the microsecond.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using hearth::json::Time;
  const auto time = Time::Parse({reinterpret_cast<const char*>(data), size});
  if (!time.ok()) {
    return 0;
  }
  const auto seconds = Time::Parse(time->ToString());
  CHECK(seconds.ok()) << seconds.status().ToString();
  CHECK(time->at - seconds->at < std::chrono::seconds(1) && seconds->at <= time->at);
  const auto micros = Time::Parse(time->ToMicroString());
  CHECK(micros.ok()) << micros.status().ToString();
  CHECK(time->at - micros->at < std::chrono::microseconds(1) && micros->at <= time->at);
  return 0;
}
