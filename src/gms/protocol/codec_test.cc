#include "gms/protocol/codec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>

#include "base/testing/status_matchers.h"

namespace hearth::gms {
namespace {

using testing::HasSubstr;

constexpr const char* kId = "6e0c1a52-5d0f-4c6e-9f53-0a52e1b3f6a1";
constexpr const char* kHash = "7e6d7d18ce9b7855492787af133ec6ffd317f017d12209afd11b03a411f0d7e5";

std::string FromHex(std::string_view hex) {
  std::string bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16)));
  }
  return bytes;
}

// name -> bytes, as an encoder that is not ours made them.
std::map<std::string, std::string> ReadVectors() {
  std::ifstream file(HEARTH_SOURCE_DIR "/tests/gms/wire_vectors.txt");
  std::map<std::string, std::string> vectors;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string name, hex;
    words >> name >> hex;
    if (name != "#") {
      vectors[name] = FromHex(hex);
    }
  }
  return vectors;
}

class WireVectors : public testing::Test {
 protected:
  ~WireVectors() override { EXPECT_THAT(vectors_, testing::IsEmpty()) << "vectors without a test"; }

  // Our bytes are theirs, and theirs decode to what encodes to the same again.
  template <typename M>
  void Same(const std::string& name, const M& message) {
    ASSERT_TRUE(vectors_.contains(name)) << name;
    const std::string theirs = vectors_.extract(name).mapped();
    EXPECT_EQ(Encode(message), theirs) << name;
    auto document = Document::Parse(theirs);
    ASSERT_OK(document);
    EXPECT_TRUE(document->Is<M>());
    auto decoded = document->As<M>(UnknownFields::kReject);
    ASSERT_OK(decoded);
    EXPECT_EQ(Encode(*decoded), theirs) << name;
  }

  std::map<std::string, std::string> vectors_ = ReadVectors();
};

GetAllocationResponse Record(int64_t slot) {
  return {
      .allocation_id = kId, .size = 1, .aligned_size = 4096, .tag = "weights", .layout_slot = slot};
}

TEST_F(WireVectors, EveryMessageOfExistingClientsIsByteForByteTheirs) {
  constexpr int64_t kBig = 5LL << 30;
  Same("handshake_request/rw", HandshakeRequest{.lock_type = "rw"});
  Same("handshake_request/timed",
       HandshakeRequest{.lock_type = "rw_data_or_rw", .timeout_ms = 1800000});
  Same("handshake_response/refused", HandshakeResponse{});
  Same("handshake_response/reader",
       HandshakeResponse{.success = true, .committed = true, .granted_lock_type = "ro"});
  Same("commit_request", CommitRequest{});
  Same("commit_response", CommitResponse{.success = true});
  Same("commit_layout_request", CommitLayoutRequest{});
  Same("commit_layout_response",
       CommitLayoutResponse{
           .success = true, .memory_layout_hash = kHash, .granted_lock_type = "rw_data"});
  Same("get_lock_state_request", GetLockStateRequest{});
  Same("get_lock_state_response", GetLockStateResponse{.state = "LAYOUT_COMMITTED",
                                                       .ro_session_count = 200,
                                                       .waiting_writers = 70000,
                                                       .layout_committed = true});
  Same("get_allocation_state_request", GetAllocationStateRequest{});
  Same("get_allocation_state_response", GetAllocationStateResponse{3435});
  Same("allocate_request/default", AllocateRequest{.size = 2097152});
  Same("allocate_request/negative", AllocateRequest{.size = -70000, .tag = "weights"});
  Same("allocate_response", AllocateResponse{kId, kBig, kBig + 2097152, 127});
  Same("export_allocation_request", ExportAllocationRequest{kId});
  Same("export_allocation_response", ExportAllocationResponse{kId, 4097, 8192, "kv_cache", 128});
  Same("get_allocation_request", GetAllocationRequest{kId});
  Same("get_allocation_response", Record(0));
  Same("list_allocations_request/all", ListAllocationsRequest{});
  Same("list_allocations_request/tag", ListAllocationsRequest{.tag = "weights"});
  Same("list_allocations_response/none", ListAllocationsResponse{});
  ListAllocationsResponse many;
  for (int64_t i = 0; i < 17; ++i) {
    many.allocations.push_back(Record(i));
  }
  Same("list_allocations_response/many", many);
  Same("free_allocation_request", FreeAllocationRequest{kId});
  Same("free_allocation_response", FreeAllocationResponse{});
  Same("metadata_put_request/small",
       MetadataPutRequest{"layer.0.weight", kId, 4096, std::string("\0\xff", 2) + "bytes"});
  Same("metadata_put_request/large",
       MetadataPutRequest{std::string(300, 'k'), kId, 0, std::string(300, 'v')});
  Same("metadata_put_response", MetadataPutResponse{true});
  Same("metadata_get_request", MetadataGetRequest{"schl\xc3\xbcssel"});
  Same("metadata_get_response/none", MetadataGetResponse{});
  Same("metadata_get_response/found", MetadataGetResponse{true, kId, 65536, ""});
  Same("metadata_delete_request", MetadataDeleteRequest{"k"});
  Same("metadata_delete_response", MetadataDeleteResponse{true});
  Same("metadata_list_request", MetadataListRequest{});
  Same("metadata_list_response", MetadataListResponse{{"a", std::string(32, 'b')}});
  Same("get_memory_layout_hash_request", GetMemoryLayoutHashRequest{});
  Same("get_memory_layout_hash_response", GetMemoryLayoutHashResponse{kHash});
  Same("get_runtime_state_request", GetRuntimeStateRequest{});
  Same("get_runtime_state_response", GetRuntimeStateResponse{.state = "COMMITTED",
                                                             .committed = true,
                                                             .is_ready = true,
                                                             .allocation_count = 1,
                                                             .memory_layout_hash = kHash,
                                                             .layout_committed = true});
  Same("get_event_history_request", GetEventHistoryRequest{});
  Same("get_event_history_response",
       GetEventHistoryResponse{{{"rw_connected", 0}, {"allocations_cleared", 3}}});
  Same("error_response", ErrorResponse{"Unknown allocation: x", 6});
  Same("extension/allocate_request", AllocateRequest{.size = 64, .allocation_id = "allocation-1"});
  Same("extension/open_layout_request", OpenLayoutRequest{});
  Same("extension/open_layout_response",
       OpenLayoutResponse{1ULL << 40, kHash, {{kId, 1, 2, "t", 0}}, {{"k", kId, 9, "v"}}, true});
  Same("extension/checkpoint_state_response", CheckpointStateResponse{.state = "serving"});
}

template <typename M>
Result<M> Decode(const std::string& payload, UnknownFields unknown = UnknownFields::kIgnore) {
  ASSIGN_OR_RETURN(const Document document, Document::Parse(payload));
  return document.As<M>(unknown);
}

TEST(Codec, FieldsThatAClientLeavesOutTakeTheirDefault) {
  // {"type": "allocate_request", "size": 5}
  auto decoded = Decode<AllocateRequest>(
      "\x82\xa4type\xb0"
      "allocate_request\xa4size\x05");
  ASSERT_OK(decoded);
  EXPECT_EQ(decoded->size, 5);
  EXPECT_EQ(decoded->tag, "default");
}

TEST(Codec, AFieldThatMustBeThereIsNamedWhenItIsNot) {
  const auto decoded = Decode<AllocateRequest>(
      "\x81\xa4type\xb0"
      "allocate_request");
  EXPECT_TRUE(decoded.status().Is(Code::kDataLoss));
  EXPECT_THAT(decoded.status().message(), HasSubstr("allocate_request: size is missing"));
}

// E02: an unknown field is a mistake where both sides agreed on what there is.
TEST(Codec, UnknownFieldsAreIgnoredOrRejectedAsAsked) {
  const std::string payload =
      "\x82\xa4type\xae"
      "commit_request\xa5"
      "extra\x01";
  EXPECT_OK(Decode<CommitRequest>(payload));
  EXPECT_FALSE(Decode<CommitRequest>(payload, UnknownFields::kReject).ok());
  EXPECT_FALSE(Decode<CommitRequest>("\x82\xa4type\xae"
                                     "commit_request\xa4type\x01",
                                     UnknownFields::kReject)
                   .ok());
}

// E03: whatever is cut or bent is an error, at every byte.
TEST(Codec, EveryTruncationIsAnError) {
  const std::string whole = Encode(MetadataPutRequest{"key", kId, 3, "value"});
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(Document::Parse(whole.substr(0, size)).ok()) << size;
  }
  EXPECT_FALSE(Document::Parse(whole + "\x01").ok()) << "trailing bytes";
}

TEST(Codec, ValuesOfAnotherKindAreRefusedWithTheFieldsName) {
  const auto text_for_number = Decode<AllocateRequest>(
      "\x82\xa4type\xb0"
      "allocate_request\xa4size\xa1x");
  EXPECT_THAT(text_for_number.status().message(), HasSubstr("size is not an integer"));
  const auto above_63_bits = Decode<AllocateRequest>(
      "\x82\xa4type\xb0"
      "allocate_request\xa4size\xcf\xff\xff\xff\xff\xff\xff\xff\xff");
  EXPECT_FALSE(above_63_bits.ok());
  const auto text_for_bytes = Decode<MetadataPutRequest>(
      "\x85\xa4type\xb4"
      "metadata_put_request\xa3key\xa1k\xad"
      "allocation_id\xa1"
      "a\xac"
      "offset_bytes\x01\xa5value\xa1v");
  EXPECT_THAT(text_for_bytes.status().message(), HasSubstr("value is not bytes"));
  const auto not_utf8 = Decode<MetadataGetRequest>(
      "\x82\xa4type\xb4"
      "metadata_get_request\xa3key\xa1\xff");
  EXPECT_THAT(not_utf8.status().message(), HasSubstr("key is not UTF-8"));
}

TEST(Codec, AFewBytesCannotClaimMuchMemory) {
  EXPECT_FALSE(Document::Parse("\xdd\xff\xff\xff\xff").ok()) << "array of 4 billion";
  EXPECT_FALSE(Document::Parse("\xdf\xff\xff\xff\xff\xa1"
                               "a")
                   .ok())
      << "map of 4 billion";
  EXPECT_FALSE(Document::Parse(std::string(64, '\x91') + '\x01').ok()) << "nested too deeply";
  std::string values("\xdd\x00\x50\x00\x00", 5);  // 5 Mi nils: small each, too many
  values.append(5U << 20, '\xc0');
  EXPECT_FALSE(Document::Parse(values).ok());
}

TEST(Codec, LargeValuesSurvive) {
  const MetadataPutRequest request{"k", kId, 0, std::string(100'000, '\xfe')};
  auto decoded = Decode<MetadataPutRequest>(Encode(request));
  ASSERT_OK(decoded);
  EXPECT_EQ(decoded->value, request.value);
}

TEST(Codec, WhatIsOfTheExtensionIsSilentUntilItSaysSomething) {
  EXPECT_EQ(Encode(HandshakeRequest{.lock_type = "ro"}).find("extension"), std::string::npos);
  EXPECT_NE(Encode(HandshakeRequest{.lock_type = "ro", .extension = 1}).find("extension"),
            std::string::npos);
}

}  // namespace
}  // namespace hearth::gms
