#pragma once

#include <string>
#include <vector>

#include "json/view.h"

namespace hearth::pods {

// What holds a pod up, in the words of Kubernetes: its scheduling, its containers, its end.
struct Trouble {
  struct Line {
    std::string reason;  // CamelCase
    std::string message;
  };
  std::vector<std::string> gates;  // its scheduling gates, whoever they are of
  // PodScheduled when it is False for another reason than gates, containers that wait or ended with
  // a failure (init containers first), and why the pod failed.
  std::vector<Line> lines;
  // One word for people: Terminating, Ready, Succeeded, Failed, Gated, why it is not scheduled or
  // does not start, Starting, Pending.
  std::string word;

  static Trouble Of(json::View pod);
};

bool IsReady(json::View pod);
bool IsDeleting(json::View pod);

}  // namespace hearth::pods
