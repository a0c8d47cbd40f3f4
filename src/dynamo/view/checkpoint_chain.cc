// From a checkpoint down to what is captured.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/check.h"
#include "dynamo/view/internal/chain_parts.h"
#include "dynamo/view/internal/reading.h"
#include "snapshot/protocol/checkpoint_id.h"
#include "snapshot/protocol/conditions.h"
#include "snapshot/protocol/names.h"

namespace hearth::dynamo::view {
namespace {

using json::View;
using Kind = ChainNode::Kind;

constexpr std::array<std::string_view, 2> kCheckpointConditions = {"JobCompleted", "JobCreated"};

// Of a PodSnapshot or its content: Ready, Failed, or why it is neither.
void AddSnapshotState(View object, ChainNode& node) {
  const View failed = ConditionOf(object, snapshot::kFailedCondition);
  const View ready = ConditionOf(object, snapshot::kReadyCondition);
  if (IsDeleting(object)) {
    node.status = "Terminating";
    if (const View kept = ConditionOf(object, snapshot::kArtifactDeletedCondition); IsFalse(kept)) {
      node.problems.push_back({"ArtifactDeleted", Told(kept)});
    }
  } else if (IsTrue(failed)) {
    node.status = "Failed";
    node.problems.push_back({failed["reason"].StringOr("Failed"), failed["message"].StringOr("")});
  } else if (IsTrue(ready)) {
    node.status = "Ready";
    node.settled = true;
  } else {
    node.status = "Pending";
    node.waits_for = ready["message"].StringOr("");
  }
}

ChainNode ContentNode(const GraphObjects& objects, const std::string& name) {
  ChainNode node{.kind = Kind::kContent, .name = name};
  const kube::Object* const content = Find(objects.contents, name);
  if (content == nullptr) {
    const bool hidden = std::any_of(
        objects.unread.begin(), objects.unread.end(),
        [](const std::string& what) { return what.starts_with("podsnapshotcontents"); });
    node.status = hidden ? "Unread" : "Missing";
    if (!hidden) {
      node.problems.push_back(
          {"ContentMissing", fmt::format("PodSnapshotContent {} is not there", name)});
    }
    return node;
  }
  AddSnapshotState(content->view(), node);
  node.node = (*content)["spec"]["source"]["nodeName"].StringOr("");
  const View artifact = (*content)["status"]["artifact"];
  node.size_bytes = artifact["sizeBytes"].Int();
  node.digest = artifact["digest"].StringOr("");
  AddEvents(objects, "PodSnapshotContent", name, node);
  return node;
}

ChainNode SnapshotNode(const GraphObjects& objects, View snapshot) {
  ChainNode node{.kind = Kind::kSnapshot, .name = NameOf(snapshot)};
  node.version = snapshot::ArtifactVersionOr1(AnnotationOf(snapshot, snapshot::kVersionAnnotation));
  AddSnapshotState(snapshot, node);
  AddEvents(objects, "PodSnapshot", node.name, node);
  if (const auto bound = snapshot["status"]["boundSnapshotContentName"].String(); bound) {
    node.below.push_back(ContentNode(objects, *bound));
  }
  return node;
}

ChainNode JobNode(const GraphObjects& objects, View job) {
  ChainNode node{.kind = Kind::kJob, .name = NameOf(job), .status = "Running"};
  const View failed = ConditionOf(job, "Failed");
  if (IsDeleting(job)) {
    node.status = "Terminating";
  } else if (IsTrue(failed)) {
    node.status = "Failed";
    node.problems.push_back({"JobFailed", Told(failed)});
  } else if (IsTrue(ConditionOf(job, "Complete"))) {
    node.status = "Complete";
    node.settled = true;
  }
  AddEvents(objects, "Job", node.name, node);
  return node;
}

// The Job of the checkpoint, its pods, and snapshots of them.
void AddBelow(const GraphObjects& objects, View checkpoint, ChainNode& node) {
  std::vector<ChainNode> pods;
  for (const kube::Object& pod : objects.pods) {
    if (LabelOf(pod.view(), snapshot::kOwnerLabel) == node.name) {
      pods.push_back(PodNode(objects, pod.view()));
    }
  }
  const kube::Object* const job = Find(objects.jobs, checkpoint["status"]["jobName"].StringOr(""));
  if (job != nullptr) {
    node.below.push_back(JobNode(objects, job->view()));
    node.below.back().below = std::move(pods);
  } else {
    node.below = std::move(pods);
  }
  for (const kube::Object& snapshot : objects.snapshots) {
    if (LabelOf(snapshot.view(), snapshot::kOwnerLabel) == node.name) {
      node.below.push_back(SnapshotNode(objects, snapshot.view()));
    }
  }
}

std::string FailureReason(View checkpoint) {
  for (const std::string_view type : kCheckpointConditions) {
    if (const View condition = ConditionOf(checkpoint, type); IsFalse(condition)) {
      return condition["reason"].StringOr("CheckpointFailed");
    }
  }
  return "CheckpointFailed";
}

// What the capture that is under way comes to next.
std::string NextStep(const ChainNode& node) {
  const ChainNode* job = nullptr;
  for (const ChainNode& below : node.below) {
    if (below.kind == Kind::kSnapshot && below.version == node.version) {
      return below.settled ? "it is captured; its Job has to complete"
                           : fmt::format("PodSnapshot {} is being captured", below.name);
    }
    job = below.kind == Kind::kJob ? &below : job;
  }
  if (job == nullptr) {
    return "its Job is not there";
  }
  if (job->below.empty()) {
    return fmt::format("Job {} has no pod yet", job->name);
  }
  const ChainNode& pod = job->below.front();
  return pod.node.empty() ? fmt::format("pod {} is on no node yet", pod.name)
                          : fmt::format("pod {} has no PodSnapshot yet", pod.name);
}

// Only a checkpoint that had a Job begins anew with another version.
std::string WhatToDo(View checkpoint, const std::string& message) {
  const bool had_job = !checkpoint["status"]["jobName"].StringOr("").empty();
  return fmt::format("{}hearth checkpoint {} {} {}", message.empty() ? "" : "; ",
                     had_job ? "retry" : "delete", NameOf(checkpoint),
                     had_job ? "captures it anew" : "lets it be made anew, once the cause is gone");
}

void AddCheckpointState(View checkpoint, ChainNode& node) {
  const std::string phase = checkpoint["status"]["phase"].StringOr("");
  const std::string message = checkpoint["status"]["message"].StringOr("");
  node.status = IsDeleting(checkpoint) ? "Terminating" : phase.empty() ? "Pending" : phase;
  node.settled = node.status == "Ready";
  if (IsDeleting(checkpoint)) {
    node.waits_for = "its artifacts are being removed";
  } else if (phase.empty()) {
    node.problems.push_back(
        {"NotObserved", "the operator has not looked at it yet; is it running?"});
  } else if (phase == "Failed") {
    node.problems.push_back({FailureReason(checkpoint), message + WhatToDo(checkpoint, message)});
  } else if (phase == "Creating") {
    node.waits_for = message.empty() ? NextStep(node) : message;
  } else if (phase == "Pending" && !message.empty()) {
    node.problems.push_back({"Pending", message});
  }
}

}  // namespace

const kube::Object* Find(const Objects& objects, std::string_view name) {
  for (const kube::Object& object : objects) {
    if (object["metadata"]["name"].Equals(name)) {
      return &object;
    }
  }
  return nullptr;
}

ChainNode CheckpointNode(const GraphObjects& objects, View checkpoint) {
  ChainNode node{.kind = Kind::kCheckpoint, .name = NameOf(checkpoint)};
  node.checkpoint_id = checkpoint["status"]["checkpointID"].StringOr(
      LabelOf(checkpoint, snapshot::kCheckpointIdLabel));
  node.version =
      snapshot::ArtifactVersionOr1(AnnotationOf(checkpoint, snapshot::kVersionAnnotation));
  AddBelow(objects, checkpoint, node);
  AddCheckpointState(checkpoint, node);
  AddEvents(objects, "DynamoCheckpoint", node.name, node);
  return node;
}

}  // namespace hearth::dynamo::view

namespace hearth::dynamo {

ChainNode MakeCheckpointChain(const GraphObjects& objects, const kube::ObjectKey& checkpoint) {
  const kube::Object* const found = view::Find(objects.checkpoints, checkpoint.name);
  CHECK(found != nullptr) << checkpoint.name;
  ChainNode chain = view::CheckpointNode(objects, found->view());
  chain.name = checkpoint.ToString();
  return chain;
}

}  // namespace hearth::dynamo
