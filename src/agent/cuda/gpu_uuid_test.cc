#include "agent/cuda/gpu_uuid.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"

namespace hearth::agent::cuda {
namespace {

using testing::ElementsAre;

constexpr const char* kA = "GPU-aaaaaaaa-0000-1111-2222-333333333333";
constexpr const char* kB = "GPU-bbbbbbbb-0000-1111-2222-333333333333";

TEST(GpuUuid, HasOneForm) {
  EXPECT_EQ(*CanonicalGpuUuid(kA), kA);
  EXPECT_EQ(*CanonicalGpuUuid("aaaaaaaa-0000-1111-2222-333333333333"), kA);
  EXPECT_EQ(*CanonicalGpuUuid("GPU-AAAAAAAA-0000-1111-2222-333333333333"), kA);
}

TEST(GpuUuid, ThatIsNoneIsRefused) {
  for (const char* const text :
       {"", "GPU-", "0", "GPU-aaaaaaaa-0000-1111-2222-33333333333",
        "GPU-aaaaaaaa-0000-1111-2222-3333333333333", "GPU-gaaaaaaa-0000-1111-2222-333333333333",
        "GPU-aaaaaaaa-0000-1111-22223-33333333333", "gpu-aaaaaaaa-0000-1111-2222-333333333333",
        "GPU-aaaaaaaa-0000-1111-2222-333333333333,"}) {
    EXPECT_CODE(Code::kInvalid, CanonicalGpuUuid(text));
  }
  EXPECT_CODE(Code::kUnsupported, CanonicalGpuUuid("MIG-aaaaaaaa-0000-1111-2222-333333333333"));
}

TEST(GpuUuid, StandsOnceInAList) {
  EXPECT_THAT(*CanonicalGpuUuids({kB, kA}), ElementsAre(kB, kA));
  EXPECT_CODE(Code::kInvalid, CanonicalGpuUuids({kA, kB, std::string(kA).substr(4)}));
}

TEST(GpuUuid, IsReadFromLines) {
  EXPECT_THAT(*ParseGpuLines(std::string(kB) + "\r\n\n " + kA + "\n"), ElementsAre(kB, kA));
  EXPECT_THAT(*ParseGpuLines("\n"), ElementsAre());
  EXPECT_CODE(Code::kInvalid, ParseGpuLines("No devices were found\n"));
}

TEST(VisibleDevices, NameGpusOnlyByUuid) {
  EXPECT_THAT(*ParseVisibleDevices(std::string(kA) + ", " + kB), ElementsAre(kA, kB));
  for (const char* const value : {"", "all", "none", "void", "0,1", "GPU-x,1"}) {
    EXPECT_FALSE(ParseVisibleDevices(value).ok()) << value;
  }
  EXPECT_CODE(Code::kNotFound, ParseVisibleDevices("all"));
  EXPECT_CODE(Code::kInvalid, ParseVisibleDevices("GPU-x"));
}

}  // namespace
}  // namespace hearth::agent::cuda
