#include "controller/internal/node_table.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "base/random.h"

namespace hearth::controller::internal {
namespace {

kube::ObjectKey Key(uint64_t n) { return {"ns-" + std::to_string(n % 5), std::to_string(n)}; }

// Against a map, through growth, eviction of unused nodes and shrinking.
TEST(NodeTable, HoldsWhatIsInUseAndNothingElse) {
  Random random(3);
  NodeTable table(random.Next());
  std::map<uint64_t, WorkNode*> model;
  for (int phase = 0; phase < 4; ++phase) {
    // Mostly in, then mostly out.
    const uint64_t out_of_ten = phase % 2 == 0 ? 2 : 8;
    for (int step = 0; step < 20000; ++step) {
      const uint64_t n = random.Below(9000);
      if (random.Below(10) >= out_of_ten) {
        WorkNode& node = table.FindOrAdd(Key(n));
        ASSERT_EQ(node.key, Key(n));
        const auto known = model.find(n);
        ASSERT_TRUE(known == model.end() || known->second == &node);
        model[n] = &node;
      } else if (const auto known = model.lower_bound(n); known != model.end()) {
        table.Retire(*known->second);
        model.erase(known);
      }
      ASSERT_EQ(table.in_use(), model.size());
    }
    for (uint64_t n = 0; n < 9000; ++n) {
      const auto known = model.find(n);
      ASSERT_EQ(table.Find(Key(n)), known == model.end() ? nullptr : known->second);
    }
  }
}

TEST(NodeTable, KeyThatComesBackSoonFindsItsNode) {
  NodeTable table(1);
  WorkNode& node = table.FindOrAdd(Key(7));
  table.Retire(node);
  EXPECT_EQ(table.Find(Key(7)), nullptr);
  EXPECT_EQ(&table.FindOrAdd(Key(7)), &node);
}

}  // namespace
}  // namespace hearth::controller::internal
