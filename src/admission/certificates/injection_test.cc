#include "admission/certificates/injection.h"

#include <gtest/gtest.h>

#include "base/base64.h"
#include "json/yaml.h"

namespace hearth::admission::certificates {
namespace {

using json::Value;

Value Yaml(const char* text) { return json::ParseYamlDocument(text).value(); }

bool Carry(const Value& configuration, const std::string& bundle) {
  const json::Blob blob = configuration.ToBlob();
  return WebhooksCarry(blob.view(), bundle);
}

TEST(Injection, SetsTheBundleOfEveryWebhook) {
  Value configuration = Yaml(R"(
webhooks:
- {name: a, clientConfig: {url: "https://x"}}
- {name: b, clientConfig: {service: {name: s}, caBundle: b2xk}}
)");
  EXPECT_FALSE(Carry(configuration, "new"));
  EXPECT_TRUE(InjectWebhooks(configuration, "new"));
  EXPECT_TRUE(Carry(configuration, "new"));
  EXPECT_EQ(configuration.Find("webhooks")->items()[0].FindPath("clientConfig.url")->string(),
            "https://x");
  EXPECT_FALSE(InjectWebhooks(configuration, "new")) << "nothing left to do";
  EXPECT_FALSE(Carry(configuration, "newer"));
}

TEST(Injection, OneOverwrittenWebhookIsNoticed) {
  Value configuration = Yaml("webhooks: [{clientConfig: {}}, {clientConfig: {}}]");
  InjectWebhooks(configuration, "b");
  configuration["webhooks"].items()[1]["clientConfig"].Erase("caBundle");
  EXPECT_FALSE(Carry(configuration, "b"));
}

TEST(Injection, AConfigurationWithoutWebhooksNeedsNothing) {
  Value configuration = Yaml("metadata: {name: x}");
  EXPECT_TRUE(Carry(configuration, "b"));
  EXPECT_FALSE(InjectWebhooks(configuration, "b"));
}

TEST(Injection, TouchesOnlyDefinitionsThatConvertThroughUs) {
  const OurService ours{"hearth-system", "hearth-webhook", "https://127.0.0.1:"};
  const std::pair<const char*, bool> rows[] = {
      {"spec: {}", false},
      {"spec: {conversion: {strategy: None}}", false},
      {"spec: {conversion: {webhook: {clientConfig: {service: {namespace: hearth-system, name: "
       "hearth-webhook}}}}}",
       true},
      {"spec: {conversion: {webhook: {clientConfig: {service: {namespace: other, name: "
       "hearth-webhook}}}}}",
       false},
      {"spec: {conversion: {webhook: {clientConfig: {url: \"https://127.0.0.1:9/convert\"}}}}",
       true},
      {"spec: {conversion: {webhook: {clientConfig: {url: \"https://other/convert\"}}}}", false},
  };
  for (const auto& [text, expected] : rows) {
    const json::Blob blob = Yaml(text).ToBlob();
    EXPECT_EQ(ConvertsThroughUs(blob.view(), ours), expected) << text;
  }
}

TEST(Injection, PatchesADefinitionInTheVersionItWasReadAt) {
  const json::Blob blob = Yaml("metadata: {resourceVersion: \"7\"}").ToBlob();
  EXPECT_FALSE(ConversionCarries(blob.view(), "b"));
  EXPECT_EQ(ConversionPatch(blob.view(), "b").Write(),
            R"({"metadata":{"resourceVersion":"7"},"spec":{"conversion":{"webhook":)"
            R"({"clientConfig":{"caBundle":")" +
                EncodeBase64("b") + R"("}}}}})");
}

}  // namespace
}  // namespace hearth::admission::certificates
