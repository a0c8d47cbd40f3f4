#include "grove/model/indices.h"

#include <gtest/gtest.h>

namespace hearth::grove {
namespace {

PodFacts Pod(std::optional<int32_t> index, int age = 0, std::string phase = "Running") {
  PodFacts pod;
  pod.index = index;
  pod.id.created = WallTime(std::chrono::seconds(1000 - age));
  pod.phase = std::move(phase);
  return pod;
}

TEST(PodIndices, HolesAreFilledFirst) {
  const std::vector<PodFacts> pods = {Pod(0), Pod(2), Pod(4)};
  EXPECT_EQ(FreeIndices(pods, {}, 3), (std::vector<int32_t>{1, 3, 5}));
}

TEST(PodIndices, WhatEndedOrGoesGivesItsIndexBack) {
  std::vector<PodFacts> pods = {Pod(0, 0, "Failed"), Pod(1), Pod(2, 0, "Succeeded"), Pod(3)};
  pods[1].id.deleting = true;
  EXPECT_EQ(FreeIndices(pods, {}, 4), (std::vector<int32_t>{0, 1, 2, 4}));
}

TEST(PodIndices, HeldOnesAreNotGivenOut) {
  const std::vector<int32_t> held = {0, 2};
  EXPECT_EQ(FreeIndices({}, held, 2), (std::vector<int32_t>{1, 3}));
}

TEST(PodIndices, TheYoungerOfTwoWithOneIndexIsReplaced) {
  const std::vector<PodFacts> pods = {Pod(1, 10), Pod(1, 20), Pod(0), Pod(1, 30)};
  const auto wrong = Misnumbered(pods);
  EXPECT_EQ(wrong, (std::vector<const PodFacts*>{&pods[0], &pods[1]}));
}

TEST(PodIndices, OneWithoutIndexIsReplaced) {
  const std::vector<PodFacts> pods = {Pod(0), Pod(std::nullopt)};
  EXPECT_EQ(Misnumbered(pods), (std::vector<const PodFacts*>{&pods[1]}));
}

}  // namespace
}  // namespace hearth::grove
