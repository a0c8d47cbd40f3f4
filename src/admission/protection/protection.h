#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "json/value.h"
#include "kube/client/client.h"
#include "kube/model/names.h"

// Whether somebody may change what the operator made for a PodCliqueSet. Changes would be undone at
// the next look, or break what runs in a way that no object tells of; who wants them changes the
// set.
namespace hearth::admission::protection {

inline constexpr std::string_view kManagedByLabel = "app.kubernetes.io/managed-by";
inline constexpr std::string_view kManagedBy = "grove-operator";
inline constexpr std::string_view kPartOfLabel = "app.kubernetes.io/part-of";
// On a set, "true": everybody may change what belongs to it.
inline constexpr std::string_view kDisabledAnnotation =
    "grove.io/disable-managed-resource-protection";

// One request, as the API server tells of it. Borrows the objects.
struct Attempt {
  std::string_view operation;
  std::string_view kind;
  std::string_view name;
  std::string_view name_space;
  std::string_view user;
  const json::Value& object;      // null on a DELETE
  const json::Value& old_object;  // null but on UPDATE and DELETE
};

// Who may always, and how sets are found.
struct Guard {
  std::vector<std::string> accounts;
  // The PodCliqueSet; kNotFound: there is none. May be called from several threads at a time.
  std::function<Result<json::Value>(const kube::ObjectKey& key)> read_set;
};

struct Decision {
  bool allowed = true;
  std::string text;  // when allowed a warning, else why not; may be empty when allowed
};

// What exists is judged by what it is, not by what it would become: a label that is taken away
// protects until then. An error says that the set could not be read.
Result<Decision> Decide(const Attempt& attempt, const Guard& guard);

// Those of a cluster that change such objects as part of their work: garbage collection, namespace
// deletion, autoscaling, schedulers and what prepares claims for them.
const std::vector<std::string>& ClusterAccounts();

// Reads sets from the server. Gives up in time for the API server, which waits ten seconds.
std::function<Result<json::Value>(const kube::ObjectKey& key)> ReadFrom(kube::Client& client,
                                                                        Clock& clock);

}  // namespace hearth::admission::protection
