#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "grove/model/facts.h"
#include "grove/plan/hashes.h"

// Facts for tests, in few words.
namespace hearth::grove {

// Seconds after a certain moment.
WallTime At(int64_t seconds);
std::string TimeText(int64_t seconds);

// A set "s" without cliques, that has noted the hashes of version 1.
SetFacts MakeSet(int32_t replicas);
void AddClique(SetFacts& set, std::string name, int32_t replicas, int32_t min_available);
void AddGroup(SetFacts& set, std::string name, std::vector<std::string> cliques, int32_t replicas,
              int32_t min_available);
void UseOnDelete(SetFacts& set);

// "c1-<clique>-<version>" and "c1-all-<version>".
std::string HashText(std::string_view clique, int version);
Hashes MakeHashes(const SetFacts& set, int version);

// The set has noted a version, and updates this replica to it.
void BeginUpdate(SetFacts& set, int version, int32_t replica);

// Objects as the templates of the set have them, of version 1 and made at second 0. Nothing has
// happened to them yet.
CliqueFacts MakeStandalone(const SetFacts& set, int32_t i, const std::string& name);
CliqueFacts MakeMember(const SetFacts& set, int32_t i, const std::string& group, int32_t j,
                       const std::string& name);
GroupFacts MakeGroup(const SetFacts& set, int32_t i, const std::string& name);

// All pods are there, of the clique's template, ready for a minute.
void MakeReady(CliqueFacts& clique, int version = 1);
void MakeReady(GroupFacts& group, int version = 1);
// Below its minimum since then, and it ran before.
void Breach(CliqueFacts& clique, int64_t since);
void Breach(GroupFacts& group, int64_t since);
void PutCondition(std::vector<api::Condition>& conditions, std::string_view type,
                  std::string_view status, int64_t since);

// A pod of the clique's template, running and ready.
PodFacts MakePod(const CliqueFacts& clique, int32_t index);
// The same, not scheduled yet.
PodFacts MakePending(const CliqueFacts& clique, int32_t index);

}  // namespace hearth::grove
