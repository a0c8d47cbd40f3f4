#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"
#include "kube/client/client.h"

// What the driver does to the server.
namespace hearth::bench {

// Makes the name space, the service account the Pods name, and so many running Pods in it.
Status CreatePods(kube::Client& client, const std::string& name_space, size_t count);

struct EventLoad {
  std::string name_space;
  size_t pods = 0;  // that are there
  size_t changes =
      0;  // at most as many as Pods: each Pod is changed once, so that no change can hide another
  double per_second = 0;
};
struct EventLoadResult {
  size_t sent = 0;
  double seconds = 0;  // longer than asked for when the server is slower
};
// Stamps Pods one after the other at a steady rate and returns when the server has acknowledged
// all.
Result<EventLoadResult> SendEvents(kube::Client& client, const EventLoad& load);

}  // namespace hearth::bench
