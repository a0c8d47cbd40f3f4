#include "gms/ctl/internal/layout_view.h"

#include <gtest/gtest.h>

namespace hearth::gms::ctl {
namespace {

LayoutView Sample() {
  return {
      .allocations = {{"first-allocation", "weights", 4096, 8192}, {"second", "other", 100, 4096}},
      .tensors = {{"layers.0", "first-allocation", 0,
                   R"({"dtype":"torch.int8","shape":[2,3],"stride":[3,1]})"},
                  {"note", "first-allocation", 64, "free text"}}};
}

TEST(LayoutView, TensorsThenAllocationsWithoutAny) {
  EXPECT_EQ(Sample().Table(),
            "TENSOR    TYPE  SHAPE      ALLOCATION    OFFSET     OF  TAG\n"
            "layers.0  int8  [2, 3]     first-alloca       0  4 KiB  weights\n"
            "note      -     free text  first-alloca      64  4 KiB  weights\n"
            "-         -     -          second             -  100 B  other\n");
  EXPECT_EQ(LayoutView().Table(), "");
}

TEST(LayoutView, APrefixTakesWhatLiesBelowIt) {
  const LayoutView part = Sample().WithPrefix("layers.");
  ASSERT_EQ(part.tensors.size(), 1U);
  ASSERT_EQ(part.allocations.size(), 1U);
  EXPECT_EQ(part.allocations[0].id, "first-allocation");
  EXPECT_EQ(Sample().WithPrefix("").allocations.size(), 2U);
}

TEST(LayoutView, Json) {
  json::Value value = json::Value::Object();
  Sample().WithPrefix("layers.").AddJson(value);
  EXPECT_EQ(value.Write(),
            R"({"tensors":[{"key":"layers.0","allocation_id":"first-allocation","offset_bytes":0,)"
            R"("value":{"dtype":"torch.int8","shape":[2,3],"stride":[3,1]}}],)"
            R"("allocations":[{"allocation_id":"first-allocation","size":4096,)"
            R"("aligned_size":8192,"tag":"weights"}]})");
}

}  // namespace
}  // namespace hearth::gms::ctl
