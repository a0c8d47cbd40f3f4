#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "kube/model/names.h"
#include "meter.h"

namespace hearth::bench {

struct PodwatchOptions {
  std::string kubeconfig;
  std::string name_space;  // empty: all
  int64_t workers = 2;
  bool keep_all = false;
  bool no_reconcile = false;
};

// What is measured: a running cache of Pods, with or without a controller on it. Stops when it
// goes.
class Subject {
 public:
  virtual ~Subject() = default;
  // Returns when every object of the first filling is in the cache, or with what ended it before.
  virtual Status AwaitSynced() = 0;
  virtual std::vector<kube::ObjectKey> Keys() const = 0;
  // Whether Enqueue leads to anything.
  virtual bool reconciles() const = 0;
  virtual void Enqueue(const kube::ObjectKey& key) = 0;
};

// A whole controller program: manager, cache, queue, workers. `meter` must outlive it.
Result<std::unique_ptr<Subject>> StartManaged(const PodwatchOptions& options, Meter& meter);
// A cache that nobody reads.
Result<std::unique_ptr<Subject>> StartCacheOnly(const PodwatchOptions& options, Meter& meter);

}  // namespace hearth::bench
