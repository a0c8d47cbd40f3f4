// Containers whose memory is compressed when they are captured.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "server_rig.h"
#include "snapshot/artifact/artifact.h"
#include "snapshot/artifact/verify.h"

namespace hearth::node {
namespace {

using testing::HasSubstr;

// Knows something that can be compressed and nobody else knows.
constexpr const char* kTextServer = R"(
import hashlib, os, socket
token = os.urandom(8).hex()
memory = bytearray((token * 4).encode() * (48 << 14))
listener = socket.socket(socket.AF_UNIX)
listener.bind('/snapshot-control/api.sock')
listener.listen()
while True:
    client, _ = listener.accept()
    client.sendall((token + ' ' + hashlib.sha256(memory).hexdigest()).encode())
    client.close()
)";

class CompressedTest : public ServerTest {
 protected:
  Result<agent::Captured> CaptureCompressed(const std::string& container, const std::string& id) {
    agent::CaptureOrder order = OrderOf(id);
    order.compress = true;
    return agent::Capture(CaptureParts(), container, order, Enough());
  }
  static Result<std::string> Hear(const ContainerRig::Started& server) {
    ASSIGN_OR_RETURN(const UniqueFd connection, ConnectTo(server.socket));
    return Exchange(connection, "", "");
  }
  // One byte of a chunk that takes space, of the largest file.
  std::string FlipAByte(const std::string& id) const {
    const auto artifact = snapshot::Artifact::Open(ArtifactOf(id));
    const snapshot::StoredFile* largest = &artifact->contents().files.front();
    for (const auto& file : artifact->contents().files) {
      largest = file.bytes > largest->bytes ? &file : largest;
    }
    const uint64_t chunk = largest->chunks.size() / 2;
    const snapshot::ChunkPlace place =
        snapshot::PlaceOf(*largest, chunk, artifact->contents().chunk_bytes);
    std::fstream file(ArtifactOf(id) + "/" + largest->name,
                      std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(static_cast<std::streamoff>(place.offset + place.bytes / 2));
    const int byte = file.get();
    file.seekp(static_cast<std::streamoff>(place.offset + place.bytes / 2));
    file.put(static_cast<char>(~byte));
    return largest->name + ": chunk " + std::to_string(chunk) + " ";
  }
};

TEST_F(CompressedTest, MemoryComesBackAsItWasAndTakesLess) {
  runc_->Use({.system_programs = true});
  ASSERT_OK_AND_ASSIGN(const auto source,
                       rig_->Start("source", {"/usr/bin/python3", "-c", kTextServer}));
  ASSERT_OK_AND_ASSIGN(const std::string before, Hear(source));
  ASSERT_OK_AND_ASSIGN(const agent::Captured captured, CaptureCompressed("source", "snap"));
  EXPECT_LT(captured.stored_bytes, 16U << 20U);
  rig_->Kill(source);
  {
    ASSERT_OK_AND_ASSIGN(const auto artifact, snapshot::Artifact::Open(ArtifactOf("snap")));
    EXPECT_GT(artifact.contents().PlainBytes(), 48U << 20U);
    ASSERT_OK_AND_ASSIGN(const auto report,
                         snapshot::VerifyFiles(artifact, {}, WaitLimit::Forever()));
    EXPECT_OK(snapshot::Intact(report));
  }
  ASSERT_OK_AND_ASSIGN(const auto placeholder, StartPlaceholder("placeholder"));
  ASSERT_OK_AND_ASSIGN(const auto restored, Restore("placeholder", "snap"));
  EXPECT_EQ(restored.left_to_criu, "");
  EXPECT_EQ(restored.root_digest, captured.root_digest);
  ASSERT_OK_AND_ASSIGN(const std::string after, Hear(placeholder));
  EXPECT_EQ(after, before);
}

TEST_F(CompressedTest, MemoryThatIsLeftToCriuComesBack) {
  ASSERT_OK_AND_ASSIGN(const auto source, rig_->StartWorkload("source", 96, 2));
  ASSERT_OK_AND_ASSIGN(const Spoken before, AskWorkload(source.socket));
  ASSERT_OK(CaptureCompressed("source", "snap").status());
  rig_->Kill(source);
  ASSERT_OK_AND_ASSIGN(const auto placeholder, StartPlaceholder("placeholder"));
  ASSERT_OK_AND_ASSIGN(const auto restored, Restore("placeholder", "snap"));
  EXPECT_THAT(restored.left_to_criu, HasSubstr("in common"));
  ASSERT_OK_AND_ASSIGN(const Spoken after, AskWorkload(placeholder.socket));
  EXPECT_EQ(after.memory_hash, before.memory_hash);
  EXPECT_EQ(after.requests, before.requests + 1);
}

TEST_F(CompressedTest, SharedMemoryOfForkedWorkersComesBack) {
  ASSERT_OK_AND_ASSIGN(const auto source,
                       StartServer("forking", {"serve=0.0.0.0", "pair=127.0.0.1"}));
  ASSERT_OK_AND_ASSIGN(const json::Value before, Ask(source));
  ASSERT_OK(CaptureCompressed("forking", "snap").status());
  rig_->Kill(source);
  ASSERT_OK_AND_ASSIGN(const auto placeholder, StartPlaceholder("placeholder"));
  ASSERT_OK(Restore("placeholder", "snap").status());
  ASSERT_OK_AND_ASSIGN(const json::Value after, Ask(placeholder));
  EXPECT_EQ(Text(after, "token"), Text(before, "token"));
  EXPECT_EQ(Number(after, "requests"), Number(before, "requests") + 1);
  EXPECT_EQ(Number(after, "echoes"), 4);
}

// 10.6
TEST_F(CompressedTest, NothingRunsFromADamagedArtifact) {
  for (const int mebibytes : {8, 96}) {  // filled by us, and left to CRIU
    const std::string name = "source-" + std::to_string(mebibytes);
    ASSERT_OK_AND_ASSIGN(const auto source, rig_->StartWorkload(name, mebibytes, 1));
    ASSERT_OK(AskWorkload(source.socket).status());
    ASSERT_OK(CaptureCompressed(name, name).status());
    rig_->Kill(source);
    ASSERT_OK(StartPlaceholder("waiting-" + name).status());
    const std::string flipped = FlipAByte(name);
    const auto refused = Restore("waiting-" + name, name);
    EXPECT_CODE(Code::kDataLoss, refused);
    EXPECT_THAT(refused.status().message(), HasSubstr(flipped));
  }
}

}  // namespace
}  // namespace hearth::node
