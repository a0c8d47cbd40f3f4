#include "admission/certificates/injection.h"

#include <gtest/gtest.h>

#include "base/base64.h"
#include "json/yaml.h"

namespace hearth::admission::certificates {
namespace {

using json::Value;

Value Yaml(const char* text) { return json::ParseYamlDocument(text).value(); }

const OurService kOurs{"hearth-system", "hearth-webhook", "https://127.0.0.1:"};

bool Carry(const Value& configuration, const std::string& bundle) {
  const json::Blob blob = configuration.ToBlob();
  return WebhooksCarry(blob.view(), bundle, kOurs);
}

TEST(Injection, SetsTheBundleOfEveryWebhookThatAsksUs) {
  Value configuration = Yaml(R"(
webhooks:
- {name: a, clientConfig: {url: "https://127.0.0.1:9/x"}}
- {name: b, clientConfig: {service: {namespace: hearth-system, name: hearth-webhook}, caBundle: b2xk}}
- {name: c, clientConfig: {service: {namespace: other, name: hearth-webhook}, caBundle: b2xk}}
- {name: d, clientConfig: {url: "https://x"}}
)");
  EXPECT_FALSE(Carry(configuration, "new"));
  EXPECT_TRUE(InjectWebhooks(configuration, "new", kOurs));
  EXPECT_TRUE(Carry(configuration, "new"));
  EXPECT_EQ(configuration.Find("webhooks")->items()[0].FindPath("clientConfig.url")->string(),
            "https://127.0.0.1:9/x");
  EXPECT_EQ(configuration.Find("webhooks")->items()[2].FindPath("clientConfig.caBundle")->string(),
            "b2xk");
  EXPECT_EQ(configuration.Find("webhooks")->items()[3].FindPath("clientConfig.caBundle"), nullptr);
  EXPECT_FALSE(InjectWebhooks(configuration, "new", kOurs)) << "nothing left to do";
  EXPECT_FALSE(Carry(configuration, "newer"));
}

TEST(Injection, OneOverwrittenWebhookIsNoticed) {
  Value configuration = Yaml(R"(
webhooks:
- {clientConfig: {url: "https://127.0.0.1:9/x"}}
- {clientConfig: {url: "https://127.0.0.1:9/y"}}
)");
  InjectWebhooks(configuration, "b", kOurs);
  configuration["webhooks"].items()[1]["clientConfig"].Erase("caBundle");
  EXPECT_FALSE(Carry(configuration, "b"));
}

TEST(Injection, AConfigurationWithoutWebhooksNeedsNothing) {
  Value configuration = Yaml("metadata: {name: x}");
  EXPECT_TRUE(Carry(configuration, "b"));
  EXPECT_FALSE(InjectWebhooks(configuration, "b", kOurs));
}

TEST(Injection, TouchesOnlyDefinitionsThatConvertThroughUs) {
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
    EXPECT_EQ(ConvertsThroughUs(blob.view(), kOurs), expected) << text;
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
