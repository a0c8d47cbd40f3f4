#pragma once

#include <string_view>

#include "json/value.h"

namespace hearth::dynamo::internal {

inline constexpr int kHttpPort = 8000;
inline constexpr int kSystemPort = 9090;
inline constexpr int kNixlPort = 19090;
inline constexpr int kForwardPassPort = 20380;
inline constexpr int kNixlSideChannelPort = 5600;
inline constexpr int kKvEventPort = 20080;
inline constexpr int kMasterPort = 29500;
inline constexpr int kRayPort = 6379;

inline json::Value Port(std::string_view name, int number) {
  return json::Value::Object({{"containerPort", number}, {"name", name}, {"protocol", "TCP"}});
}

}  // namespace hearth::dynamo::internal
