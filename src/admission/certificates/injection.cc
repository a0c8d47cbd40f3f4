#include "admission/certificates/injection.h"

#include "base/base64.h"

namespace hearth::admission::certificates {
namespace {

json::View ConversionClient(json::View definition) {
  return definition["spec"]["conversion"]["webhook"]["clientConfig"];
}

std::string BundleIn(json::View client) {
  std::string bundle = DecodeBase64(client["caBundle"].StringOr("")).value_or("");
  if (!bundle.empty() && bundle.back() != '\n') {
    bundle += '\n';  // so that another may follow
  }
  return bundle;
}

bool AsksUs(json::View client, const OurService& service) {
  if (const auto url = client["url"].String()) {
    return !service.url_prefix.empty() && url->rfind(service.url_prefix, 0) == 0;
  }
  return client["service"]["namespace"].Equals(service.name_space) &&
         client["service"]["name"].Equals(service.name);
}

}  // namespace

bool WebhooksCarry(json::View configuration, const std::string& bundle, const OurService& service) {
  const std::string encoded = EncodeBase64(bundle);
  for (const json::View webhook : configuration["webhooks"].items()) {
    const json::View client = webhook["clientConfig"];
    if (AsksUs(client, service) && !client["caBundle"].Equals(encoded)) {
      return false;
    }
  }
  return true;
}

std::string WebhookBundles(json::View configuration, const OurService& service) {
  std::string bundles;
  for (const json::View webhook : configuration["webhooks"].items()) {
    if (AsksUs(webhook["clientConfig"], service)) {
      bundles += BundleIn(webhook["clientConfig"]);
    }
  }
  return bundles;
}

bool InjectWebhooks(json::Value& configuration, const std::string& bundle,
                    const OurService& service) {
  json::Value* webhooks = configuration.Find("webhooks");
  if (webhooks == nullptr || !webhooks->IsArray()) {
    return false;
  }
  const json::Value encoded = EncodeBase64(bundle);
  bool changed = false;
  for (json::Value& webhook : webhooks->items()) {
    json::Value* client = webhook.Find("clientConfig");
    if (client == nullptr) {
      continue;
    }
    const json::Blob config = client->ToBlob();
    if (!AsksUs(config.view(), service)) {
      continue;
    }
    if ((*client)["caBundle"] != encoded) {
      (*client)["caBundle"] = encoded;
      changed = true;
    }
  }
  return changed;
}

bool ConvertsThroughUs(json::View definition, const OurService& service) {
  return AsksUs(ConversionClient(definition), service);
}

bool ConversionCarries(json::View definition, const std::string& bundle) {
  return ConversionClient(definition)["caBundle"].Equals(EncodeBase64(bundle));
}

std::string ConversionBundle(json::View definition) {
  return BundleIn(ConversionClient(definition));
}

json::Value ConversionPatch(json::View definition, const std::string& bundle) {
  json::Value patch = json::Value::Object();
  patch.MakePath("metadata.resourceVersion") =
      definition["metadata"]["resourceVersion"].StringOr("");
  patch.MakePath("spec.conversion.webhook.clientConfig.caBundle") = EncodeBase64(bundle);
  return patch;
}

}  // namespace hearth::admission::certificates
