#pragma once

#include <string>

#include "base/result.h"
#include "base/wait_limit.h"
#include "json/value.h"
#include "kube/model/object.h"
#include "stage.h"

namespace hearth::bench {

// Running pods that look like one that an operator made and that no operator has anything to do
// with, for it to cache.
class CopiedPods {
 public:
  // In a name space of their own.
  static Result<CopiedPods> Of(Stage& stage, const kube::Object& pod);
  // Returns when so many of them run. The stage's stub must be on.
  Status GrowTo(size_t count, const WaitLimit& limit);

 private:
  CopiedPods(Stage& stage, json::Value pattern, std::string name_space, json::Value owner)
      : stage_(stage),
        pattern_(std::move(pattern)),
        name_space_(std::move(name_space)),
        owner_(std::move(owner)) {}

  Stage& stage_;
  json::Value pattern_;
  std::string name_space_;
  json::Value owner_;
  size_t count_ = 0;
};

}  // namespace hearth::bench
