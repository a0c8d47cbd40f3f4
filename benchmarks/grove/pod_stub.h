#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "controller/informer.h"
#include "kube/client/client.h"

namespace hearth::bench {

// What scheduler and kubelets do with pods, without running anything: pods without scheduling gates
// are bound to a node and reported as running and ready; pods that are to go are gone at once.
class PodStub {
 public:
  // What it reads of a pod.
  static json::FieldSet Fields();

  // Before the informer, which follows the pods, starts; it must be stopped before this goes.
  PodStub(kube::Client& client, controller::Informer& pods);
  ~PodStub();
  PodStub(const PodStub&) = delete;
  PodStub& operator=(const PodStub&) = delete;

  // Off at first. On: what piled up is done.
  void Switch(bool on);

 private:
  enum class Task { kNone, kRun, kRemove };
  struct Due {
    Task task;
    kube::ObjectKey pod;
    std::string container;
  };
  static Task TaskFor(const controller::CachedObject& pod);
  void Add(const controller::CachedObject& pod);
  void Work(const std::stop_token& stop);
  void Do(const Due& due);

  kube::Client& client_;
  controller::Informer& pods_;
  std::atomic<bool> on_ = false;
  std::mutex mutex_;
  std::condition_variable_any added_;
  std::deque<Due> due_;
  std::vector<std::jthread> workers_;
};

}  // namespace hearth::bench
