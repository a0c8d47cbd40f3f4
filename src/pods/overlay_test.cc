#include "pods/overlay.h"

#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"
#include "json/parse.h"

namespace hearth::pods {
namespace {

using json::Value;

Value Json(std::string_view text) {
  auto value = json::ParseValue(text);
  EXPECT_OK(value);
  return value.ok() ? *std::move(value) : Value();
}

std::string Over(std::string_view base, std::string_view over, std::string_view within) {
  Value merged = Json(base);
  Overlay(merged, Json(over), within);
  return merged.Write();
}

TEST(OverlayTest, WhatIsSaidWinsAndTheRestStays) {
  EXPECT_EQ(Over(R"({"image":"a","workingDir":"/w"})", R"({"image":"b"})", "containers"),
            R"({"image":"b","workingDir":"/w"})");
}

TEST(OverlayTest, EmptyIsNotSaidButFalseAndZeroAre) {
  EXPECT_EQ(Over(R"({"command":["a"],"image":"i","tty":true,"n":3})",
                 R"({"command":[],"image":"","tty":false,"n":0})", "containers"),
            R"({"command":["a"],"image":"i","tty":false,"n":0})");
}

TEST(OverlayTest, VariablesKeepTheirOrderAndNewOnesComeLast) {
  EXPECT_EQ(Over(R"({"env":[{"name":"POD_NAME","value":"p"},{"name":"B","value":"1"}]})",
                 R"j({"env":[{"name":"A","value":"$(POD_NAME)"},{"name":"B","value":"$(A)"},)j"
                 R"j({"name":"C","value":"$(B)"}]})j",
                 "containers"),
            R"j({"env":[{"name":"POD_NAME","value":"p"},{"name":"B","value":"$(A)"},)j"
            R"j({"name":"A","value":"$(POD_NAME)"},{"name":"C","value":"$(B)"}]})j");
}

TEST(OverlayTest, VariableIsReplacedWithItsSource) {
  EXPECT_EQ(
      Over(R"({"env":[{"name":"A","value":"1"}]})",
           R"({"env":[{"name":"A","valueFrom":{"fieldRef":{"fieldPath":"x"}}}]})", "containers"),
      R"({"env":[{"name":"A","valueFrom":{"fieldRef":{"fieldPath":"x"}}}]})");
}

TEST(OverlayTest, ProbeIsReplacedAsAWhole) {
  EXPECT_EQ(Over(R"({"livenessProbe":{"httpGet":{"path":"/live"},"periodSeconds":5}})",
                 R"({"livenessProbe":{"exec":{"command":["true"]}}})", "containers"),
            R"({"livenessProbe":{"exec":{"command":["true"]}}})");
}

TEST(OverlayTest, PortsMergeByNumber) {
  EXPECT_EQ(
      Over(R"({"ports":[{"containerPort":9090,"name":"system"}]})",
           R"({"ports":[{"containerPort":80,"name":"web"}]})", "containers"),
      R"({"ports":[{"containerPort":9090,"name":"system"},{"containerPort":80,"name":"web"}]})");
}

TEST(OverlayTest, VolumeIsReplacedWithItsSource) {
  EXPECT_EQ(Over(R"({"volumes":[{"name":"v","emptyDir":{}}]})",
                 R"({"volumes":[{"name":"v","configMap":{"name":"c"}}]})", "spec"),
            R"({"volumes":[{"name":"v","configMap":{"name":"c"}}]})");
}

TEST(OverlayTest, LimitsMergeByName) {
  EXPECT_EQ(Over(R"({"resources":{"limits":{"cpu":"1"}}})",
                 R"({"resources":{"limits":{"memory":"2Gi"}}})", "containers"),
            R"({"resources":{"limits":{"cpu":"1","memory":"2Gi"}}})");
}

TEST(OverlayTest, CommandIsReplaced) {
  EXPECT_EQ(Over(R"({"command":["/bin/sh","-c"],"args":["x"]})", R"({"command":["python3"]})",
                 "containers"),
            R"({"command":["python3"],"args":["x"]})");
}

TEST(OverlayTest, WhatIsNoObjectChangesNothing) {
  EXPECT_EQ(Over(R"({"a":1})", R"("text")", "spec"), R"({"a":1})");
  EXPECT_EQ(Over("null", R"({"a":1})", "spec"), R"({"a":1})");
}

}  // namespace
}  // namespace hearth::pods
