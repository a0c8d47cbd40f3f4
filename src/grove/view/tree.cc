#include "grove/view/tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/seeded_hash.h"
#include "grove/model/labels.h"
#include "grove/model/names.h"
#include "grove/view/composition.h"
#include "grove/view/internal/reasons.h"
#include "grove/view/internal/words.h"

namespace hearth::grove {
namespace {

using api::grove::CliqueTemplate;
using api::grove::ScalingGroupTemplate;

// Nobody reads more, whatever a set says.
std::set<int32_t> IndicesBelow(int32_t count) {
  std::set<int32_t> indices;
  const auto most = static_cast<int32_t>(std::min<int64_t>(count, kMostParts));
  for (int32_t i = 0; i < most; ++i) {
    indices.insert(indices.end(), i);
  }
  return indices;
}

class TreeMaker {
 public:
  explicit TreeMaker(const ClusterFacts& facts) : facts_(facts), lookup_(facts) {
    for (const GroupFacts& group : facts.groups) {
      groups_[group.place.set_replica.value_or(-1)].insert(group.id.name);
    }
    for (const CliqueFacts& clique : facts.cliques) {
      if (clique.standalone()) {
        alone_[clique.place.set_replica.value_or(-1)].insert(clique.id.name);
      } else {
        members_[clique.place.group][clique.place.group_replica.value_or(-1)].insert(
            clique.id.name);
      }
    }
  }

  TreeNode Make() {
    const SetFacts& set = facts_.set;
    TreeNode tree{.kind = TreeNode::Kind::kSet,
                  .name = fmt::format("{}/{}", set.id.name_space, set.id.name),
                  .ready = set.status.available_replicas,
                  .wanted = set.spec.replicas,
                  .problems = ProblemsOf(set)};
    tree.status = StatusOf(set.id, tree);
    Claims shared = ClaimsOfOwner(claims::SetOwner(set));
    tree.claims = std::move(shared.for_all);
    std::set<int32_t> replicas = IndicesBelow(set.spec.replicas);
    for (const auto* known : {&groups_, &alone_}) {
      for (const auto& [i, names] : *known) {
        replicas.insert(i);
      }
    }
    for (const int32_t i : replicas) {
      tree.children.push_back(Replica(i, std::move(shared.by_index[i])));
    }
    AddForgotten(tree);
    return tree;
  }

 private:
  struct Claims {
    std::vector<ClaimNode> for_all;
    std::map<int32_t, std::vector<ClaimNode>> by_index;
  };
  using NamesByIndex = std::map<int32_t, std::set<std::string>>;

  static std::string StatusOf(const Identity& id, const TreeNode& node) {
    if (id.deleting) {
      return "Terminating";
    }
    return node.ready >= node.wanted ? "Ready" : "NotReady";
  }

  // Of a replica: what is below it tells.
  static void SumUp(TreeNode& node) {
    node.status = "Ready";
    const auto add = [&](const TreeNode& clique) {
      node.ready += clique.ready;
      node.wanted += clique.wanted;
    };
    for (const TreeNode& child : node.children) {
      if (child.status != "Ready") {
        node.status = "NotReady";
      }
      if (child.kind == TreeNode::Kind::kClique) {
        add(child);
      }
      for (const TreeNode& below : child.children) {
        if (child.kind == TreeNode::Kind::kGroup) {
          add(below);
        }
      }
    }
  }

  static void Forgive(TreeNode& node) {
    node.problems.clear();
    std::for_each(node.children.begin(), node.children.end(), Forgive);
  }

  bool GoingAway() const { return facts_.set.id.deleting; }

  // ---- Levels

  TreeNode Replica(int32_t i, std::vector<ClaimNode> claims) {
    const SetFacts& set = facts_.set;
    const bool wanted = i >= 0 && i < set.spec.replicas;
    TreeNode node{.kind = TreeNode::Kind::kReplica,
                  .name = fmt::format("{}", i),
                  .gang = ReplicaName(set.id.name, i),
                  .claims = std::move(claims)};
    if (wanted && !GoingAway()) {
      node.problems = ProblemsOfGang(lookup_, node.gang);
    }
    for (const CliqueTemplate& clique : set.parts().cliques) {
      if (wanted && set.GroupOf(clique.name) == nullptr) {
        const std::string name = CliqueName(set.id.name, i, clique.name);
        alone_[i].erase(name);
        node.children.push_back(
            Clique(name, CliqueToBe(set, i, clique.name, clique.spec.replicas)));
      }
    }
    for (const std::string& name : alone_[i]) {
      node.children.push_back(Clique(name, {}));
    }
    for (const ScalingGroupTemplate& group : set.parts().scaling_groups) {
      if (wanted) {
        const std::string name = GroupName(set.id.name, i, group.name);
        groups_[i].erase(name);
        node.children.push_back(Group(i, name, &group));
      }
    }
    for (const std::string& name : groups_[i]) {
      node.children.push_back(Group(i, name, nullptr));
    }
    SumUp(node);
    node.status = wanted ? node.status : "NotWanted";
    return node;
  }

  // `config` is null when the set does not want it.
  TreeNode Group(int32_t i, const std::string& name, const ScalingGroupTemplate* config) {
    const GroupFacts* const live = lookup_.Group(name);
    const GroupFacts group =
        live != nullptr ? *live
                        : GroupToBe(facts_.set, i, config->name, config->replicas.value_or(1));
    TreeNode node{.kind = TreeNode::Kind::kGroup,
                  .name = name,
                  .ready = group.status.available_replicas,
                  .wanted = group.replicas};
    node.status = StatusOf(group.id, node);
    Claims shared;
    if (const auto owner = claims::GroupOwner(facts_.set, group); owner.ok() && config != nullptr) {
      shared = ClaimsOfOwner(*owner);
    }
    node.claims = std::move(shared.for_all);
    Judge(live != nullptr, config != nullptr, "PodCliqueScalingGroup", node);
    if (live != nullptr) {
      node.problems = ProblemsOf(*live);
    }
    std::set<int32_t> replicas = IndicesBelow(group.replicas);
    for (const auto& [j, names] : members_[name]) {
      replicas.insert(j);
    }
    for (const int32_t j : replicas) {
      node.children.push_back(GroupReplica(group, config, j, std::move(shared.by_index[j])));
    }
    if (live == nullptr) {
      // That it is missing explains all that is missing below it.
      std::for_each(node.children.begin(), node.children.end(), Forgive);
    }
    return node;
  }

  TreeNode GroupReplica(const GroupFacts& group, const ScalingGroupTemplate* config, int32_t j,
                        std::vector<ClaimNode> claims) {
    const bool wanted = config != nullptr && j >= 0 && j < group.replicas;
    TreeNode node{.kind = TreeNode::Kind::kGroupReplica,
                  .name = fmt::format("{}", j),
                  .claims = std::move(claims)};
    NameGangs(group, config, j, node);
    if (!node.base_gang.empty() && wanted && !GoingAway()) {
      node.problems = ProblemsOfGang(lookup_, node.gang);
    }
    std::set<std::string>& there = members_[group.id.name][j];
    for (const std::string& clique : wanted ? config->clique_names : std::vector<std::string>()) {
      const CliqueTemplate* const part = facts_.set.FindClique(clique);
      const std::string name = MemberName(group.id.name, j, clique);
      there.erase(name);
      node.children.push_back(
          Clique(name, MemberToBe(group, j, clique, part == nullptr ? 0 : part->spec.replicas)));
    }
    for (const std::string& name : there) {
      node.children.push_back(Clique(name, {}));
    }
    SumUp(node);
    node.status = wanted ? node.status : "NotWanted";
    return node;
  }

  static void NameGangs(const GroupFacts& group, const ScalingGroupTemplate* config, int32_t j,
                        TreeNode& node) {
    const int32_t min = config == nullptr ? group.min_available : config->min_available.value_or(1);
    const std::string base = ReplicaName(group.place.set, group.place.set_replica.value_or(0));
    node.gang = j < min ? base : ScaledGangName(group.id.name, j, min);
    node.base_gang = j < min ? "" : base;
  }

  // `wanted` is the clique as it should be; without a name when it should not.
  TreeNode Clique(const std::string& name, const CliqueFacts& wanted) {
    const CliqueFacts* const live = lookup_.Clique(name);
    const CliqueFacts& clique = live != nullptr ? *live : wanted;
    TreeNode node{.kind = TreeNode::Kind::kClique,
                  .name = name,
                  .wanted = clique.replicas,
                  .gang = clique.gang};
    const auto& pods = lookup_.PodsOf(name);
    shown_.insert(name);
    node.ready = std::count_if(pods.begin(), pods.end(), [](const PodState* pod) {
      return pod->facts.ready && !pod->facts.id.deleting;
    });
    node.status = StatusOf(clique.id, node);
    const bool is_wanted = !wanted.id.name.empty();
    Judge(live != nullptr, is_wanted, "PodClique", node);
    if (live != nullptr && is_wanted) {
      node.problems = ProblemsOf(*live);
      TellMissingPods(*live, pods, node);
    }
    Claims shared = is_wanted ? ClaimsOfClique(clique, pods) : Claims();
    node.claims = std::move(shared.for_all);
    for (const PodState* pod : pods) {
      node.children.push_back(Pod(live, *pod));
      if (pod->facts.index && pod->facts.active()) {
        node.children.back().claims = std::exchange(shared.by_index[*pod->facts.index], {});
      }
    }
    for (auto& [index, claims] : shared.by_index) {
      std::move(claims.begin(), claims.end(), std::back_inserter(node.claims));
    }
    return node;
  }

  void TellMissingPods(const CliqueFacts& clique, const std::vector<const PodState*>& pods,
                       TreeNode& node) const {
    const auto there = std::count_if(pods.begin(), pods.end(),
                                     [](const PodState* pod) { return !pod->facts.id.deleting; });
    if (there < clique.replicas && !clique.id.deleting && !GoingAway()) {
      node.problems.push_back({"PodsMissing", fmt::format("{} of {} are there", there,
                                                          Counted(clique.replicas, "pod"))});
    }
  }

  TreeNode Pod(const CliqueFacts* clique, const PodState& pod) const {
    return {.kind = TreeNode::Kind::kPod,
            .name = pod.facts.id.name,
            .ready = pod.facts.ready ? 1 : 0,
            .wanted = 1,
            .status = pod.trouble.word,
            .node = pod.node,
            .problems = ProblemsOf(lookup_, clique, pod)};
  }

  // Whether it is there and should be.
  void Judge(bool there, bool wanted, std::string_view kind, TreeNode& node) const {
    if (!there) {
      node.status = "Missing";
      if (!GoingAway()) {
        node.problems.push_back({"Missing", fmt::format("{} {} is not there", kind, node.name)});
      }
    } else if (!wanted && node.status != "Terminating") {
      node.status = "NotWanted";
    }
  }

  // ---- Claims

  Claims ClaimsOfClique(const CliqueFacts& clique, const std::vector<const PodState*>& pods) {
    std::set<int32_t> indices;
    for (const PodState* pod : pods) {
      if (pod->facts.index) {
        indices.insert(*pod->facts.index);
      }
    }
    const auto owner = claims::CliqueOwner(facts_.set, clique, indices);
    return owner.ok() ? ClaimsOfOwner(*owner) : Claims();
  }

  Claims ClaimsOfOwner(const claims::Owner& owner) {
    Claims shared;
    for (const claims::Claim& claim : claims::DesiredClaims(owner)) {
      auto& where = claim.index ? shared.by_index[*claim.index] : shared.for_all;
      where.push_back(Claim(owner, claim));
    }
    return shared;
  }

  ClaimNode Claim(const claims::Owner& owner, const claims::Claim& claim) {
    const claims::Sharing& entry = owner.sharing[claim.entry];
    const SharedClaim* const live = lookup_.Claim(claim.name);
    ClaimNode node = Facts(claim.name, live);
    node.scope = ScopeName(entry.scope);
    node.claim_template =
        entry.name_space.empty() ? entry.name : fmt::format("{}/{}", entry.name_space, entry.name);
    switch (claims::StateOf(owner, live == nullptr ? nullptr : &live->facts)) {
      case claims::ClaimState::kMissing:
        node.status = "Missing";
        break;
      case claims::ClaimState::kReady:
        node.status = live->facts.allocated ? "Allocated" : "Pending";
        break;
      case claims::ClaimState::kTerminating:
        node.status = "Terminating";
        break;
      case claims::ClaimState::kForeign:
        node.status = "Foreign";
        node.problems.push_back(
            {std::string(claims::kClaimNameConflict),
             fmt::format("it is controlled by {} {}, so the set cannot use the name",
                         live->facts.id.controller->kind, live->facts.id.controller->name)});
        break;
    }
    return node;
  }

  ClaimNode Facts(const std::string& name, const SharedClaim* live) {
    shown_.insert(name);
    ClaimNode node{.name = name, .consumers = lookup_.Consumers(name)};
    if (live != nullptr) {
      node.reserved = live->facts.consumers;
      node.devices = live->devices;
    }
    return node;
  }

  // ---- What belongs to the set and has no place in it.
  void AddForgotten(TreeNode& tree) {
    for (const SharedClaim& claim : facts_.claims) {
      const auto part_of = claim.facts.labels.find(std::string(kPartOfLabel));
      const bool ours =
          part_of != claim.facts.labels.end() && part_of->second == facts_.set.id.name;
      if (ours && !shown_.contains(claim.facts.id.name)) {
        ClaimNode node = Facts(claim.facts.id.name, &claim);
        node.status = claim.facts.id.deleting ? "Terminating" : "NotWanted";
        tree.claims.push_back(std::move(node));
      }
    }
    for (const PodState& pod : facts_.pods) {
      if (!shown_.contains(pod.facts.clique)) {
        tree.children.push_back(Pod(nullptr, pod));
      }
    }
  }

  const ClusterFacts& facts_;
  Lookup lookup_;
  // What is there and was not shown yet.
  NamesByIndex groups_;
  NamesByIndex alone_;
  std::map<std::string, NamesByIndex> members_;
  SeededSet<std::string> shown_;  // claims and cliques
};

void Add(const TreeNode& node, TreeSummary& summary) {
  summary.problems += static_cast<int64_t>(node.problems.size());
  if (node.kind == TreeNode::Kind::kPod) {
    ++summary.pods;
    summary.ready_pods += node.status == "Ready" ? 1 : 0;
    summary.gated_pods += node.status == "Gated" ? 1 : 0;
  }
  for (const ClaimNode& claim : node.claims) {
    ++summary.claims;
    summary.allocated_claims += claim.status == "Allocated" ? 1 : 0;
    summary.missing_claims += claim.status == "Missing" ? 1 : 0;
    summary.problems += static_cast<int64_t>(claim.problems.size());
  }
  for (const TreeNode& child : node.children) {
    Add(child, summary);
  }
}

}  // namespace

TreeNode MakeTree(const ClusterFacts& facts) { return TreeMaker(facts).Make(); }

TreeSummary Summarize(const TreeNode& tree) {
  TreeSummary summary;
  Add(tree, summary);
  return summary;
}

}  // namespace hearth::grove
