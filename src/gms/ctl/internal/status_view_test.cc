#include "gms/ctl/internal/status_view.h"

#include <gtest/gtest.h>

namespace hearth::gms::ctl {
namespace {

constexpr int64_t kMiB = 1 << 20;

StatusResponse Sample() {
  StatusResponse status{.version = "1.2.3", .nonce = "n", .pid = 42, .uptime_ms = 192'000};
  DomainItem weights{.device = 0,
                     .gpu_uuid = "GPU-a",
                     .device_kind = "host",
                     .domain = "weights",
                     .socket = "/run/gms/gms_GPU-a_weights.sock",
                     .state = "RO",
                     .memory_layout_hash = "0123456789abcdef0123",
                     .generation = 3,
                     .generations = 1,
                     .allocation_count = 17,
                     .bytes = 66 * kMiB,
                     .kept_bytes = 68 * kMiB,
                     .device_free_bytes = 958 * kMiB,
                     .device_total_bytes = 1024 * kMiB,
                     .fence = "serving"};
  weights.sessions = {
      {.session = 7,
       .pid = 100,
       .uid = 1000,
       .client = "engine-0",
       .request = "rw_or_ro",
       .grant = "ro",
       .generation = 3,
       .age_ms = 65'000,
       .waited_ms = 0},
      {.session = 9, .pid = 101, .uid = 0, .request = "rw", .age_ms = 350, .waited_ms = 350}};
  DomainItem cache = weights;
  cache.domain = "kv_cache";
  cache.state = "EMPTY";
  cache.memory_layout_hash.clear();
  cache.generation = 0;
  cache.allocation_count = cache.bytes = cache.kept_bytes = 0;
  cache.sessions.clear();
  status.domains = {weights, cache};
  return status;
}

TEST(StatusView, TheServer) {
  EXPECT_EQ(ServerLine(Sample()), "gms-server 1.2.3, pid 42, up 3m12s\n");
}

TEST(StatusView, EachDeviceOnce) {
  EXPECT_EQ(DeviceTable(Sample()),
            "DEVICE  KIND  UUID     USED     FREE  TOTAL  FENCE\n"
            "     0  host  GPU-a  66 MiB  958 MiB  1 GiB  serving\n");
}

TEST(StatusView, EachPool) {
  EXPECT_EQ(PoolTable(Sample()),
            "DEVICE  DOMAIN    STATE  GENERATION  ALLOCATIONS  MEMORY  OTHERS  WRITERS  READERS  "
            "WAITING  "
            "LAYOUT\n"
            "     0  weights   RO              3           17  66 MiB   2 MiB        0        1    "
            "    1  "
            "0123456789ab\n"
            "     0  kv_cache  EMPTY           -            0     0 B     0 B        0        0    "
            "    0  "
            "-\n");
}

TEST(StatusView, WhoHoldsAndWhoWaits) {
  EXPECT_EQ(
      SessionTable(Sample()),
      "SESSION  PID   UID  CLIENT    DEVICE  DOMAIN   HOLDS         GENERATION    AGE  WAITED\n"
      "      7  100  1000  engine-0       0  weights  ro                     3  1m05s     0ms\n"
      "      9  101     0  -              0  weights  waits for rw           -  350ms   350ms\n");
  EXPECT_EQ(SessionTable({}), "Nobody holds or waits for anything.\n");
}

TEST(StatusView, MachinesGetEverything) {
  StatusResponse status = Sample();
  status.domains.pop_back();
  status.domains[0].sessions.pop_back();
  EXPECT_EQ(
      StatusJson(status).Write(),
      R"({"version":"1.2.3","nonce":"n","pid":42,"uptime_ms":192000,"domains":[{"device":0,)"
      R"("gpu_uuid":"GPU-a","device_kind":"host","domain":"weights",)"
      R"("socket":"/run/gms/gms_GPU-a_weights.sock","state":"RO",)"
      R"("memory_layout_hash":"0123456789abcdef0123","generation":3,"generations":1,)"
      R"("allocation_count":17,"bytes":69206016,"kept_bytes":71303168,"device_free_bytes":1004535808,)"
      R"("device_total_bytes":1073741824,"fence":"serving","sessions":[{"session":7,"pid":100,)"
      R"("uid":1000,"client":"engine-0","request":"rw_or_ro","grant":"ro","generation":3,)"
      R"("age_ms":65000,"waited_ms":0}]}]})");
  EXPECT_EQ(SessionsJson(status).Write(),
            R"([{"device":0,"domain":"weights","session":7,"pid":100,"uid":1000,)"
            R"("client":"engine-0","request":"rw_or_ro","grant":"ro","generation":3,)"
            R"("age_ms":65000,"waited_ms":0}])");
}

}  // namespace
}  // namespace hearth::gms::ctl
