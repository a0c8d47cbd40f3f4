#include "cli/bundle/bundle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file_system.h"
#include "base/process_runner.h"
#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"
#include "json/parse.h"
#include "json/yaml.h"

namespace hearth::bundle {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

json::Value Yaml(const std::string& text) {
  auto value = json::ParseYamlDocument(text);
  EXPECT_OK(value);
  return *std::move(value);
}

std::string Redacted(const std::string& text) { return RedactText(text).text; }

// ---- Objects.

TEST(RedactObject, VariablesThatAreCalledLikeSecretsLoseTheirValues) {
  json::Value pod = Yaml(R"(
spec:
  containers:
  - name: main
    env: [{name: HF_TOKEN, value: abc}, {name: MODEL, value: llama}, {name: API_KEY, valueFrom: {secretKeyRef: {name: s, key: token}}}]
)");
  const auto redactions = RedactObject(pod);
  ASSERT_EQ(redactions.size(), 1U);
  EXPECT_EQ(redactions[0].path, "spec.containers[0].env[HF_TOKEN]");
  EXPECT_THAT(pod.Write(),
              AllOf(HasSubstr(R"({"name":"HF_TOKEN","value":"REDACTED"})"), HasSubstr("llama"),
                    HasSubstr(R"("secretKeyRef":{"name":"s","key":"token"})")));
}

TEST(RedactObject, OptionsThatAreCalledLikeSecretsLoseTheirValues) {
  json::Value container = Yaml(
      "args: [--api-key, abcdef, --model, llama, --hf-token=ghijkl, --tokenizer, fast, -c, "
      "'PASSWORD=mnopqr serve --secret stuvwx --max-num-batched-tokens 4096']");
  RedactObject(container);
  EXPECT_EQ(container.Write(),
            R"({"args":["--api-key","REDACTED","--model","llama","--hf-token=REDACTED",)"
            R"("--tokenizer","fast","-c",)"
            R"("PASSWORD=REDACTED serve --secret REDACTED --max-num-batched-tokens 4096"]})");
}

TEST(RedactObject, WhatWasAppliedLastAndWhoManagesWhatGo) {
  json::Value object = Yaml(R"(
metadata:
  managedFields: [{manager: kubectl}]
  annotations:
    kubectl.kubernetes.io/last-applied-configuration: '{"token":"x"}'
    example.com/api-token: abc
    example.com/note: fine
)");
  const auto redactions = RedactObject(object);
  EXPECT_EQ(redactions.size(), 2U);
  EXPECT_EQ(object.Write(), R"({"metadata":{"annotations":{)"
                            R"("kubectl.kubernetes.io/last-applied-configuration":"REDACTED",)"
                            R"("example.com/api-token":"REDACTED","example.com/note":"fine"}}})");
}

TEST(RedactObject, NothingOfASecretIsLeft) {
  json::Value secret = Yaml(
      "{kind: Secret, metadata: {name: s}, data: {a: eA==}, stringData: {b: plain}, type: Opaque}");
  RedactObject(secret);
  EXPECT_THAT(secret.Write(),
              AllOf(Not(HasSubstr("eA==")), Not(HasSubstr("plain")), HasSubstr(R"("name":"s")")));
}

TEST(RedactObject, ReferencesToSecretsStay) {
  json::Value pod = Yaml(
      "spec: {volumes: [{name: v, secret: {secretName: weights}}], imagePullSecrets: [{name: r}]}");
  EXPECT_THAT(RedactObject(pod), IsEmpty());
  EXPECT_THAT(pod.Write(), HasSubstr("weights"));
}

// ---- Texts.

TEST(RedactText, KnownShapesGo) {
  EXPECT_EQ(Redacted("Authorization: Bearer abc.def-ghi_jkl"), "Authorization: Bearer REDACTED");
  EXPECT_EQ(Redacted("got eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ4In0.c2lnbmF0dXJl back"),
            "got REDACTED back");
  EXPECT_EQ(Redacted("hf_abcdefghijklmnop and AKIAABCDEFGHIJKLMNOP"), "REDACTED and REDACTED");
  EXPECT_EQ(Redacted("postgres://me:hunter2@db/x"), "postgres://REDACTED@db/x");
  EXPECT_EQ(Redacted("a -----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY----- b"),
            "a REDACTED b");
}

TEST(RedactText, ValuesBehindNamesOfSecretsGo) {
  EXPECT_EQ(Redacted("password=hunter2, user=me"), "password=REDACTED, user=me");
  EXPECT_EQ(Redacted(R"({"token":"abc","level":"info"})"),
            R"({"token":"REDACTED","level":"info"})");
  EXPECT_EQ(Redacted("run --api-key abc --verbose"), "run --api-key REDACTED --verbose");
}

TEST(RedactText, OrdinaryLogsStayAsTheyAre) {
  for (const std::string line :
       {"level=info msg=\"the secret of speed is rest\" took=12ms", "secret found, token renewed",
        "GET /api/v1/pods?limit=500 200", "--max-model-len 4096 --tokenizer x",
        "https://example.com:443/path", "image: registry.example.com/a/b:1@sha256:0123"}) {
    EXPECT_EQ(Redacted(line), line);
  }
}

// ---- The archive.

class BundleTest : public testing::Test {
 protected:
  // What tar says to it.
  std::string Tar(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "tar");
    auto outcome = RealProcessRunner().Run({.argv = std::move(arguments)},
                                           WaitLimit::For(RealClock(), std::chrono::seconds(30)));
    EXPECT_OK(outcome);
    EXPECT_EQ(outcome->exit_code, 0) << outcome->errors;
    return outcome->output;
  }

  TempDirectory directory_;
};

TEST_F(BundleTest, TarReadsItAndTheManifestTellsEverything) {
  Bundle bundle({.version = "1.2", .server = "https://me:pw@api", .now = WallTime{}});
  const std::string long_path = "objects/" + std::string(140, 'n') + "/pods/x.json";
  bundle.AddObject(long_path, Yaml("{kind: Pod, spec: {env: [{name: A_TOKEN, value: abc}]}}"));
  bundle.AddText("logs/a.log", "token=abc\n");
  bundle.AddText("empty", "");
  bundle.LeaveOut("Secrets", "they are never read");
  const std::string file = directory_ / "bundle.tar.gz";
  ASSERT_OK(RealFileSystem().Write(file, bundle.Pack(), 0600));

  EXPECT_EQ(Tar({"-tzf", file}), long_path + "\nlogs/a.log\nempty\nmanifest.json\n");
  EXPECT_EQ(Tar({"-xzOf", file, "logs/a.log"}), "token=REDACTED\n");
  EXPECT_THAT(Tar({"-xzOf", file, long_path}), Not(HasSubstr("abc")));
  const auto manifest = json::ParseValue(Tar({"-xzOf", file, "manifest.json"}));
  ASSERT_OK(manifest);
  EXPECT_EQ(manifest->Find("program")->string(), "hearth 1.2");
  EXPECT_EQ(manifest->Find("server")->string(), "https://REDACTED@api");
  EXPECT_EQ(manifest->Find("files")->items().size(), 3U);
  EXPECT_EQ(manifest->Find("redacted")->items().size(), 2U);
  EXPECT_EQ(manifest->Find("redacted")->items()[0].Find("path")->string(), "spec.env[A_TOKEN]");
  EXPECT_EQ(manifest->Find("leftOut")->Write(),
            R"([{"what":"Secrets","why":"they are never read"}])");
}

}  // namespace
}  // namespace hearth::bundle
