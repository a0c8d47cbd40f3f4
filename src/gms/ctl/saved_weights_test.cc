// gmsctl and saves on disk.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"
#include "gms/ctl/exit_codes.h"
#include "gms/ctl/gmsctl.h"
#include "gms/ctl/testing/run_gmsctl.h"
#include "gms/storage/testing/sample_weights.h"

namespace hearth::gms::ctl {
namespace {

using command_line::kExitOk;
using command_line::kExitUsage;
using json::Value;
using storage::SampleWeights;
using testing::AllOf;
using testing::HasSubstr;
using testing::SizeIs;
using testing::StartsWith;

// A checkpoint of two devices.
class Saves : public testing::Test {
 protected:
  std::string Save(const std::string& name, uint64_t seed, const std::vector<uint64_t>& granules) {
    SampleWeights first(seed, granules);
    SampleWeights second(seed + 1, granules);
    EXPECT_OK(
        storage::SaveSample(RealFileSystem(), directory_ / name, {{0, &first}, {1, &second}}));
    return directory_ / name;
  }
  std::string Save(const std::string& name, uint64_t seed = 1) {
    return Save(name, seed, {5, 2, 33});
  }
  // Changes one byte in the middle of a device's first shard.
  static void Damage(const std::string& device) {
    const auto shard = *std::filesystem::directory_iterator(device + "/shards");
    std::fstream file(shard.path(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(100);
    const char byte = static_cast<char>(file.get() ^ 1);
    file.seekp(100);
    file.put(byte);
    ASSERT_TRUE(file.good());
  }

  TempDirectory directory_;
};

TEST_F(Saves, InspectSummarizesEachDevice) {
  const std::string save = Save("a");
  const Ran text = RunGmsctl({"inspect", save});
  EXPECT_EQ(text.code, kExitOk) << text.err;
  EXPECT_THAT(text.out,
              AllOf(StartsWith("DEVICE  VERSION  SAVED (UTC)"), HasSubstr("\n     1        2  ")));
  const Value json = RunGmsctl({"inspect", save, "-o", "json"}).Json();
  ASSERT_THAT(json.Find("devices")->items(), SizeIs(2));
  const Value& device = json.Find("devices")->items()[1];
  EXPECT_EQ(device.Find("device")->Int(), 1);
  EXPECT_EQ(device.Find("bytes")->Int(), 40 * SampleWeights::kGranularity);
  EXPECT_EQ(device.Find("allocation_count")->Int(), 3);
  EXPECT_EQ(device.Find("tensors"), nullptr);
}

TEST_F(Saves, InspectListsTensorsOfOneDevice) {
  const std::string device = Save("a") + "/device-0";
  EXPECT_THAT(RunGmsctl({"inspect", device, "--tensors"}).out,
              AllOf(HasSubstr("\n" + device + "\nTENSOR"), HasSubstr("ALLOCATION")));
  const Value json = RunGmsctl({"inspect", device, "-t", "-o", "json"}).Json();
  ASSERT_THAT(json.Find("devices")->items(), SizeIs(1));
  EXPECT_THAT(json.Find("devices")->items()[0].Find("allocations")->items(), SizeIs(3));
}

TEST_F(Saves, VerifyFindsOneByteThatChangedOnlyWhenItReads) {
  const std::string save = Save("a");
  const Ran whole = RunGmsctl({"verify", save, "--full"});
  EXPECT_EQ(whole.code, kExitOk) << whole.out << whole.err;
  EXPECT_THAT(whole.out,
              StartsWith(save + "/device-0: whole: 2.5 MiB in 40 chunks read and compared\n"));
  Damage(save + "/device-1");
  const Ran quick = RunGmsctl({"verify", save});
  EXPECT_EQ(quick.code, kExitOk) << "lengths and manifests are as they were";
  EXPECT_THAT(quick.out, HasSubstr("--full reads them"));
  const Ran full = RunGmsctl({"verify", save, "--full"});
  EXPECT_EQ(full.code, kExitNo);
  EXPECT_THAT(full.out,
              AllOf(HasSubstr("device-0: whole"), HasSubstr("device-1: damaged: 1 of 40 chunks\n"),
                    HasSubstr(": chunk 0, 64 KiB at 0, of allocation ")));
  const Value json = RunGmsctl({"verify", save, "--full", "-o", "json"}).Json();
  EXPECT_FALSE(json.Find("whole")->boolean());
  EXPECT_TRUE(json.Find("devices")->items()[0].Find("whole")->boolean());
  EXPECT_THAT(json.Find("devices")->items()[1].Find("damages")->items(), SizeIs(1));
}

TEST_F(Saves, VerifySeesACutShardWithoutReadingIt) {
  const std::string save = Save("a");
  const auto shard = *std::filesystem::directory_iterator(save + "/device-0/shards");
  std::filesystem::resize_file(shard.path(), 17);
  const Ran ran = RunGmsctl({"verify", save});
  EXPECT_EQ(ran.code, kExitNo);
  EXPECT_THAT(ran.out, AllOf(HasSubstr("device-0: damaged: "), HasSubstr("device-1: whole")));
}

TEST_F(Saves, DiffNamesWhatChanged) {
  const std::string a = Save("a");
  const std::string b = Save("b");
  const Ran same = RunGmsctl({"diff", a, b});
  EXPECT_EQ(same.code, kExitOk) << same.err;
  EXPECT_EQ(same.out, "device 0: the same\ndevice 1: the same\n");
  const Ran other = RunGmsctl({"diff", a, Save("c", 7)});
  EXPECT_EQ(other.code, kExitNo);
  EXPECT_THAT(other.out,
              AllOf(HasSubstr("WHAT"), HasSubstr("allocation 0"), HasSubstr("contents")));
  const Ran shape = RunGmsctl({"diff", a, Save("d", 1, {5, 2, 34}), "-o", "json"});
  EXPECT_EQ(shape.code, kExitNo);
  const Value device = shape.Json().Find("devices")->items()[0];
  EXPECT_FALSE(device.Find("same_layout")->boolean());
  EXPECT_EQ(device.Find("allocations")->items()[0].Find("change")->string(), "shape");
}

TEST_F(Saves, DiffTellsADeviceThatOnlyOneHas) {
  const std::string a = Save("a");
  SampleWeights only(1);
  ASSERT_OK(storage::SaveSample(RealFileSystem(), directory_ / "b", {{0, &only}}));
  // One of two devices beside the only one.
  const Ran ran = RunGmsctl({"diff", a, directory_ / "b"});
  EXPECT_EQ(ran.code, kExitNo);
  EXPECT_EQ(ran.out, "device 0: the same\ndevice 1: only-in-a\n");
}

TEST_F(Saves, WhereNothingIsSavedItSaysWhatIsLookedFor) {
  for (const char* command : {"inspect", "verify"}) {
    const Ran ran = RunGmsctl({command, directory_.path()});
    EXPECT_EQ(ran.code, kExitFailed);
    EXPECT_THAT(ran.err, AllOf(HasSubstr(directory_.path()), HasSubstr("no saved weights"),
                               HasSubstr("gms-saver")));
    EXPECT_EQ(RunGmsctl({command, directory_ / "nowhere"}).code, kExitFailed);
  }
  EXPECT_EQ(RunGmsctl({"diff", directory_.path()}).code, kExitUsage);
}

}  // namespace
}  // namespace hearth::gms::ctl
