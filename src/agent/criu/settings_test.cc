#include "agent/criu/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"
#include "json/yaml.h"

namespace hearth::agent::criu {
namespace {

using json::Value;
using testing::HasSubstr;

Value Yaml(std::string_view text) {
  auto value = json::ParseYamlDocument(text);
  EXPECT_OK(value.status());
  return value.ok() ? std::move(*value) : Value();
}

TEST(Settings, AreUpstreamsWhenNobodySaysOtherwise) {
  EXPECT_EQ(WriteSettings({}), Yaml(R"(
ghostLimit: 536870912
logLevel: 4
workDir: /var/criu-work
autoDedup: false
lazyPages: false
leaveRunning: true
shellJob: true
tcpClose: false
tcpEstablished: true
fileLocks: true
orphanPtsMaster: true
extUnixSk: true
linkRemap: true
extMasters: true
manageCgroupsMode: soft
imageIoMode: direct
rstSibling: true
mntnsCompatMode: false
evasiveDevices: true
forceIrmap: true
binaryPath: /usr/local/sbin/criu
libDir: /usr/local/lib/snapshot/criu-plugins
allowUprobes: true
skipInFlight: true
)"));
}

TEST(Settings, AreReadAsTheyAreWritten) {
  const Value given = Yaml(
      "{ghostLimit: 7, logLevel: 1, tcpClose: true, tcpEstablished: false, workDir: /w, "
      "manageCgroupsMode: ignore, someday: {a: b}}");
  const auto settings = ReadSettings(given);
  ASSERT_OK(settings.status());
  EXPECT_EQ(settings->ghost_limit, 7U);
  EXPECT_TRUE(settings->tcp_close);
  const auto again = ReadSettings(WriteSettings(*settings));
  ASSERT_OK(again.status());
  EXPECT_EQ(WriteSettings(*again), WriteSettings(*settings));
  EXPECT_OK(ReadSettings(Value()).status());
}

TEST(Settings, OfAnotherKindAreNamed) {
  for (const auto& [text, says] : {std::pair{"{tcpClose: 1}", "tcpClose: must be true or false"},
                                   {"{logLevel: high}", "logLevel: must be a whole number"},
                                   {"{ghostLimit: -1}", "ghostLimit: must be a number of bytes"},
                                   {"{workDir: [a]}", "workDir: must be a text"},
                                   {"[1]", "must be a map"}}) {
    EXPECT_THAT(ReadSettings(Yaml(text)).status().ToString(), HasSubstr(says));
  }
}

// A83: established connections are kept or closed, not both.
TEST(Settings, MustNotContradictThemselves) {
  EXPECT_OK(CheckSettings({}));
  const auto verdict = [](auto change) {
    Settings settings;
    change(settings);
    return CheckSettings(settings).ToString();
  };
  EXPECT_THAT(verdict([](Settings& s) { s.tcp_close = true; }), HasSubstr("tcpEstablished"));
  EXPECT_THAT(verdict([](Settings& s) { s.ghost_limit = 1ULL << 33; }), HasSubstr("ghostLimit"));
  EXPECT_THAT(verdict([](Settings& s) { s.log_level = 5; }), HasSubstr("logLevel"));
  EXPECT_THAT(verdict([](Settings& s) { s.image_io = "fast"; }), HasSubstr("imageIoMode 'fast'"));
  EXPECT_THAT(verdict([](Settings& s) { s.manage_cgroups = "x"; }), HasSubstr("'x'"));
}

// A83: any case, blanks, empty.
TEST(Settings, CgroupModesAreReadGenerously) {
  EXPECT_EQ(*ParseCgroupMode(""), CgroupMode::kSoft);
  EXPECT_EQ(*ParseCgroupMode(" Full "), CgroupMode::kFull);
  EXPECT_EQ(*ParseCgroupMode("STRICT"), CgroupMode::kStrict);
  EXPECT_EQ(*ParseCgroupMode("ignore"), CgroupMode::kIgnore);
}

// A84: the directory of plugins, or none.
TEST(Settings, WhatHasNoFieldGoesIntoAFile) {
  EXPECT_EQ(ConfigurationFile({}, "/plugins"), "libdir /plugins\nallow-uprobes\nskip-in-flight\n");
  Settings bare;
  bare.allow_uprobes = bare.skip_in_flight = false;
  EXPECT_EQ(ConfigurationFile(bare, ""), "");
}

}  // namespace
}  // namespace hearth::agent::criu
