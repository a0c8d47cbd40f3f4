#pragma once

#include <string>
#include <string_view>

#include "admission/rules/request.h"

// What the door knows of schedulers.
namespace hearth::admission::grove {

inline constexpr std::string_view kDefaultScheduler = "default-scheduler";
inline constexpr std::string_view kKai = "kai-scheduler";

// The one that is meant where a clique names none.
std::string_view DefaultScheduler(const Setup& setup);
// Kubernetes' own always is.
bool IsEnabled(const Setup& setup, std::string_view scheduler);
// Whether it can be told to keep pods within a part of the cluster.
bool KnowsTopology(std::string_view scheduler);
std::string EnabledText(const Setup& setup);  // "default-scheduler, kai-scheduler"

}  // namespace hearth::admission::grove
