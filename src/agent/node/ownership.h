#pragma once

#include "agent/node/content_facts.h"
#include "agent/node/node_work.h"

namespace hearth::agent::node {

// Whether an artifact was made for this very order, so that it may be called Ready with it and goes
// when it goes. One that does not say whose it is (captured by hand, or by agents of others) is an
// order's only if it was taken from the pod that the order is for: an id and a namespace prove
// nothing, the next pod of a template has the same.
inline bool IsOf(const NodeWork::Stored& stored, const ContentFacts& content) {
  if (!stored.content_uid.empty()) {
    return stored.content_uid == content.uid;
  }
  return !content.pod_uid.empty() && stored.pod_uid == content.pod_uid &&
         stored.pod_namespace == content.snapshot.name_space;
}

}  // namespace hearth::agent::node
