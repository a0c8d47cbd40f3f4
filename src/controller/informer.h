#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/metrics.h"
#include "base/result.h"
#include "base/wait_limit.h"
#include "controller/object_store.h"
#include "controller/reflector.h"
#include "json/field_set.h"
#include "kube/client/client.h"

namespace hearth::controller {

// Which objects of a type a cache follows.
struct Scope {
  std::string name_space;  // empty: all
  std::string label_selector;
  std::string field_selector;
  friend auto operator<=>(const Scope&, const Scope&) = default;
};

struct InformerOptions {
  Reflector::Options reflector;
  // A watch that has been silent for so long is taken for dead. The API server sends a bookmark
  // about every minute.
  Duration watch_idle_timeout = std::chrono::seconds(90);
  // Sooner, where the server answers when asked for a sign of life, in lists and in watches: after
  // a silence of so long it is asked, and as long again it may take.
  Duration ask_for_life_after = std::chrono::seconds(10);
  Duration list_timeout = std::chrono::minutes(2);
  Duration head_timeout = std::chrono::seconds(30);
};

// Keeps an ObjectStore equal to a collection on the server: carries out what the Reflector decides.
// All of it happens on the client's loop; nothing blocks. Subscribe before Start.
class Informer {
 public:
  // `fields` is what the store keeps; name, name space, uid, version, generation and whether it is
  // being deleted are always there.
  Informer(kube::Client& client, Clock& clock, kube::ResourceType type, Scope scope,
           json::FieldSet fields, std::vector<Index> indexes, InformerOptions options,
           const Logger& logger, Metrics* metrics);
  ~Informer();  // stops
  Informer(const Informer&) = delete;
  Informer& operator=(const Informer&) = delete;

  // Before Start: keep these as well; look up by these as well.
  void AddFields(const json::FieldSet& fields);
  void AddIndexes(std::vector<Index> indexes);
  // Called on the loop; must not block.
  void OnChange(ObjectStore::OnChange callback);
  // Called on the loop after the store's version moved on, once for a batch of events, and once
  // when first synced.
  void OnProgress(std::function<void()> callback);

  void Start();
  void Stop();  // returns when no callback runs any more. Not from the loop
  bool synced() const;
  Status WaitForSync(const WaitLimit& limit);
  // Reads everything again, from the server's newest state; what was missed shows up as changes.
  // `done` is called on the loop when a list that began after this call is complete.
  void RequestRelist(std::function<void()> done = {});

  const ObjectStore& store() const { return store_; }
  const kube::ResourceType& type() const { return type_; }
  const Scope& scope() const { return scope_; }
  net::EventLoop& loop() const;
  // Whether an object of this type with these metadata would be in the store; nothing when the
  // scope cannot be judged here.
  std::optional<bool> InScope(json::View object) const;

 private:
  struct Impl;

  kube::ResourceType type_;
  Scope scope_;
  ObjectStore store_;
  std::shared_ptr<Impl> impl_;
};

}  // namespace hearth::controller
