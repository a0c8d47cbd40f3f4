#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <thread>

#include "gms.h"
#include "gms/capi/client.h"
#include "gms/server/testing/server_rig.h"

// The C interface against a running server.
namespace hearth::gms {
namespace {

struct CloseClient {
  void operator()(gms_client* client) const { gms_close(client); }
};
using Client = std::unique_ptr<gms_client, CloseClient>;
struct FreeLayout {
  void operator()(gms_layout* layout) const { gms_layout_free(layout); }
};

#define EXPECT_GMS(expected, call) \
  EXPECT_STREQ(gms_code_name(expected), gms_code_name(call)) << gms_error()

class CApiTest : public testing::Test {
 protected:
  Client Open(const char* tag = "weights") {
    gms_options options;
    gms_options_init(&options);
    options.socket_dir = rig_.directory().c_str();
    options.tag = tag;
    options.name = "capi-test";
    options.scratch_block = 1U << 20;
    options.granularity = server::ServerRig::kGranularity;
    gms_client* client = nullptr;
    EXPECT_GMS(GMS_OK, gms_open(&options, &client));
    return Client(client);
  }
  // A client that wrote and published "hello" as "greeting".
  Client Publish() {
    Client client = Open();
    EXPECT_GMS(GMS_OK, gms_connect(client.get(), GMS_LEASE_RW, -1));
    void* address = nullptr;
    EXPECT_GMS(GMS_OK, gms_allocate(client.get(), 5000, &address));
    EXPECT_GMS(GMS_OK, gms_write(client.get(), static_cast<char*>(address) + 100, "hello", 5));
    EXPECT_GMS(GMS_OK, gms_metadata_put(client.get(), "greeting", static_cast<char*>(address) + 100,
                                        "text", 4));
    EXPECT_GMS(GMS_OK, gms_commit(client.get()));
    return client;
  }

  server::ServerRig rig_;
};

TEST_F(CApiTest, WriterPublishesAndReaderOpensTheLayout) {
  const Client writer = Publish();
  EXPECT_EQ(gms_granted(writer.get()), GMS_GRANT_RO);
  const Client reader = Open();
  EXPECT_EQ(gms_granted(reader.get()), GMS_GRANT_NONE);
  EXPECT_GMS(GMS_OK, gms_connect(reader.get(), GMS_LEASE_RO, 1000));
  gms_layout* opened = nullptr;
  EXPECT_GMS(GMS_OK, gms_open_layout(reader.get(), &opened));
  const std::unique_ptr<gms_layout, FreeLayout> layout(opened);
  ASSERT_EQ(gms_layout_mappings(opened), 1U);
  ASSERT_EQ(gms_layout_entries(opened), 1U);
  EXPECT_EQ(std::strlen(gms_layout_hash(opened)), 64U);
  EXPECT_GT(gms_layout_generation(opened), 0U);
  gms_entry entry;
  EXPECT_GMS(GMS_OK, gms_layout_entry(opened, 0, &entry));
  EXPECT_STREQ(entry.key, "greeting");
  EXPECT_EQ(std::string(static_cast<const char*>(entry.value), entry.value_size), "text");
  EXPECT_EQ(entry.offset, 100U);
  EXPECT_EQ(std::memcmp(entry.address, "hello", 5), 0);
  gms_mapping mapping;
  EXPECT_GMS(GMS_OK, gms_layout_mapping(opened, 0, &mapping));
  EXPECT_EQ(mapping.mapped_size, 8192U);
  EXPECT_EQ(mapping.is_writable, 0);
  EXPECT_GMS(GMS_NOT_FOUND, gms_layout_mapping(opened, 1, &mapping));
  EXPECT_EQ(gms_total_bytes(reader.get()), 8192U);
}

TEST_F(CApiTest, SleepAndWakeKeepAddresses) {
  const Client client = Publish();
  gms_entry entry;
  EXPECT_GMS(GMS_OK, gms_metadata_get(client.get(), "greeting", &entry));
  const void* const address = entry.address;
  ASSERT_NE(address, nullptr);
  EXPECT_GMS(GMS_OK, gms_sleep(client.get()));
  gms_mapping mapping;
  EXPECT_GMS(GMS_OK, gms_find(client.get(), address, &mapping));
  EXPECT_EQ(mapping.is_mapped, 0);
  char bytes[5];
  EXPECT_GMS(GMS_INVALID, gms_read(client.get(), bytes, address, 5));
  EXPECT_GMS(GMS_OK, gms_wake(client.get(), GMS_LEASE_RO, -1));
  EXPECT_GMS(GMS_OK, gms_read(client.get(), bytes, address, 5));
  EXPECT_EQ(std::memcmp(bytes, "hello", 5), 0);
}

TEST_F(CApiTest, FailuresHaveACodeAndWords) {
  const Client client = Open();
  EXPECT_GMS(GMS_INVALID, gms_sleep(client.get()));
  EXPECT_NE(std::string(gms_error()).find("connect"), std::string::npos);
  EXPECT_GMS(GMS_TIMEOUT, gms_connect(client.get(), GMS_LEASE_RO, 10));
  EXPECT_GMS(GMS_INVALID, gms_connect(client.get(), static_cast<gms_lease>(99), 10));
  EXPECT_GMS(GMS_OK, gms_connect(client.get(), GMS_LEASE_RW, -1));
  void* address = nullptr;
  EXPECT_GMS(GMS_NOT_FOUND, gms_map(client.get(), "no such", &address));
  EXPECT_GMS(GMS_INVALID, gms_allocate(client.get(), 0, &address));
  gms_entry entry;
  EXPECT_GMS(GMS_NOT_FOUND, gms_metadata_get(client.get(), "nothing", &entry));
  EXPECT_STREQ(gms_code_name(static_cast<gms_code>(99)), "unknown");
}

TEST_F(CApiTest, WordsBelongToTheThreadThatFailed) {
  const Client client = Open();
  EXPECT_GMS(GMS_INVALID, gms_sleep(client.get()));
  std::thread([] { EXPECT_STREQ(gms_error(), ""); }).join();
}

TEST_F(CApiTest, CopiesStayWithinOneMapping) {
  const Client client = Open();
  EXPECT_GMS(GMS_OK, gms_connect(client.get(), GMS_LEASE_RW, -1));
  void* address = nullptr;
  EXPECT_GMS(GMS_OK, gms_allocate(client.get(), 4096, &address));
  const std::string bytes(4097, 'x');
  EXPECT_GMS(GMS_INVALID, gms_write(client.get(), address, bytes.data(), bytes.size()));
  EXPECT_GMS(GMS_NOT_FOUND, gms_write(client.get(), client.get(), bytes.data(), 1));
  EXPECT_GMS(GMS_INVALID, gms_free(client.get(), static_cast<char*>(address) + 1));
  EXPECT_GMS(GMS_OK, gms_free(client.get(), address));
  EXPECT_GMS(GMS_NOT_FOUND, gms_free(client.get(), address));
}

TEST_F(CApiTest, PublishedMemoryIsNotWritten) {
  const Client client = Publish();
  gms_entry entry;
  EXPECT_GMS(GMS_OK, gms_metadata_get(client.get(), "greeting", &entry));
  EXPECT_GMS(GMS_PERMISSION_DENIED, gms_write(client.get(), entry.address, "x", 1));
}

TEST_F(CApiTest, TheLongestWaitIsForEver) {
  for (const int64_t longest : {int64_t{-1}, INT64_MAX, INT64_MAX / 1000}) {
    EXPECT_EQ(capi::LimitOf(longest).deadline, SteadyTime::max());
    gms_options options;
    gms_options_init(&options);
    options.socket_dir = rig_.directory().c_str();
    options.connect_timeout_ms = longest;
    options.rpc_timeout_ms = longest;
    gms_client* client = nullptr;
    EXPECT_GMS(GMS_OK, gms_open(&options, &client));
    EXPECT_GMS(GMS_OK, gms_connect(client, GMS_LEASE_RW, longest));
    gms_close(client);
  }
}

// Options of an older caller are shorter; of a newer one, longer.
TEST_F(CApiTest, OptionsSayHowLargeTheyAre) {
  gms_options options;
  gms_options_init(&options);
  options.struct_size = offsetof(gms_options, name);
  options.name = reinterpret_cast<const char*>(1);  // not looked at
  gms_client* client = nullptr;
  EXPECT_GMS(GMS_OK, gms_open(&options, &client));
  gms_close(client);
  options.struct_size = sizeof options + 8;
  EXPECT_GMS(GMS_INVALID, gms_open(&options, &client));
  EXPECT_EQ(gms_version() >> 16, GMS_VERSION_MAJOR);
}

// A caller built with an earlier header has room for less than this library knows.
TEST_F(CApiTest, OptionsOfAnOlderCallerAreNotOverrun) {
  gms_options options;
  std::memset(&options, 0x5a, sizeof options);
  constexpr size_t kOlder = offsetof(gms_options, scratch_block);
  gms_options_init_sized(&options, kOlder);
  EXPECT_EQ(options.struct_size, kOlder);
  EXPECT_EQ(options.rpc_timeout_ms, 30'000);
  EXPECT_EQ(options.scratch_block, 0x5a5a5a5a5a5a5a5aU);
  gms_client* client = nullptr;
  EXPECT_GMS(GMS_OK, gms_open(&options, &client));
  gms_close(client);
}

TEST_F(CApiTest, AllocatorServesTheThreadsTag) {
  const Client client = Open();
  EXPECT_EQ(gms_allocator_malloc(100, 0), nullptr);
  EXPECT_GMS(GMS_INVALID, gms_allocator_failure());
  EXPECT_GMS(GMS_OK, gms_allocator_failure());
  EXPECT_GMS(GMS_OK, gms_connect(client.get(), GMS_LEASE_RW, -1));
  EXPECT_GMS(GMS_OK, gms_allocator_register(client.get(), "weights", GMS_BACKING_SERVER));
  EXPECT_GMS(GMS_OK, gms_allocator_use("weights"));
  void* const block = gms_allocator_malloc(100, 0);
  ASSERT_NE(block, nullptr);
  EXPECT_GMS(GMS_OK, gms_allocator_use(nullptr));
  EXPECT_EQ(gms_allocator_live_blocks("weights"), 1U);
  gms_mapping mapping;
  EXPECT_GMS(GMS_OK, gms_find(client.get(), block, &mapping));
  EXPECT_EQ(mapping.size, 100U);
  gms_allocator_free(block, 100);
  EXPECT_EQ(gms_total_bytes(client.get()), 0U);
  gms_allocator_unregister("weights");
}

// A standby lays its cache out before it has a lease, and gets the memory when it takes over.
TEST_F(CApiTest, ScratchNeedsNoLeaseAndBecomesMemory) {
  const Client client = Open("kv_cache");
  EXPECT_GMS(GMS_OK, gms_allocator_register(client.get(), "kv_cache", GMS_BACKING_SCRATCH));
  EXPECT_GMS(GMS_OK, gms_allocator_use("kv_cache"));
  auto* const block = static_cast<char*>(gms_allocator_malloc(300000, 0));
  ASSERT_NE(block, nullptr);
  block[299999] = 'x';
  EXPECT_GMS(GMS_OK, gms_sleep(client.get()));
  EXPECT_GMS(GMS_OK, gms_scratch_to_memory(client.get()));
  EXPECT_GMS(GMS_OK, gms_wake(client.get(), GMS_LEASE_RW, -1));
  EXPECT_EQ(gms_granted(client.get()), GMS_GRANT_RW);
  EXPECT_EQ(block[299999], '\0');
  EXPECT_EQ(rig_.State("kv_cache").allocation_count, 1);
  EXPECT_GMS(GMS_OK, gms_allocator_use(nullptr));
  gms_allocator_unregister("kv_cache");
}

TEST_F(CApiTest, LostServerIsUnavailableUntilReset) {
  const Client client = Publish();
  EXPECT_TRUE(rig_.Stop().ok());
  void* address = nullptr;
  EXPECT_GMS(GMS_UNAVAILABLE, gms_map(client.get(), "x", &address));
  EXPECT_GMS(GMS_UNAVAILABLE, gms_sleep(client.get()));
  EXPECT_EQ(gms_granted(client.get()), GMS_GRANT_NONE);
  EXPECT_GMS(GMS_OK, gms_reset(client.get()));
}

}  // namespace
}  // namespace hearth::gms
