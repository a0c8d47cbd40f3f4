#include "agent/cuda/process_ids.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"

namespace hearth::agent::cuda {
namespace {

using testing::ElementsAre;
using Tree = std::vector<ProcessFacts>;

ProcessFacts Process(std::vector<int> ids) {
  ProcessFacts facts;
  facts.pid = ids.front();
  facts.ns_pids = std::move(ids);
  return facts;
}

// A81: ids at the capture, and where they are after a restore.
TEST(ProcessIds, AreThoseOfTheInnermostNamespace) {
  const Tree source = {Process({700, 1}), Process({701, 7}), Process({702, 9})};
  EXPECT_THAT(*InnermostIds(source, {702, 701}), ElementsAre(9, 7));
  // One level deeper, below who waited for them.
  const Tree restored = {Process({900, 12, 1}), Process({901, 13, 7}), Process({902, 14, 9})};
  EXPECT_THAT(*FindRestored(restored, {9, 7}), ElementsAre(902, 901));
}

// A process that was restored is captured again: it is deeper than most, and that is all.
TEST(ProcessIds, DoNotDependOnDepth) {
  const Tree nested = {Process({900, 12, 1}), Process({901, 13, 7})};
  EXPECT_THAT(*InnermostIds(nested, {901}), ElementsAre(7));
  const Tree again = {Process({990, 30, 5, 1}), Process({991, 31, 6, 7})};
  EXPECT_THAT(*FindRestored(again, {7}), ElementsAre(991));
}

TEST(ProcessIds, OfNamespacesBelowAreNotMeant) {
  const Tree restored = {Process({900, 1}), Process({901, 7}), Process({902, 8, 7})};
  EXPECT_THAT(*FindRestored(restored, {7}), ElementsAre(901));
}

TEST(ProcessIds, ThatAreMissingOrStandTwiceAreTold) {
  const Tree tree = {Process({900, 1}), Process({901, 7})};
  EXPECT_CODE(Code::kNotFound, FindRestored(tree, {8}));
  EXPECT_CODE(Code::kNotFound, FindRestored({}, {1}));
  EXPECT_CODE(Code::kNotFound, InnermostIds(tree, {7}));
  EXPECT_CODE(Code::kInternal,
              FindRestored({Process({900, 1}), Process({901, 7}), Process({902, 7})}, {7}));
}

}  // namespace
}  // namespace hearth::agent::cuda
