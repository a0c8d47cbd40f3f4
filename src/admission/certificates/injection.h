#pragma once

#include <string>
#include <string_view>

#include "json/value.h"
#include "json/view.h"

// Who must believe our certificates: the caBundle of webhook configurations and of the conversion
// of custom resource definitions. Pure.
namespace hearth::admission::certificates {

// Which clientConfig of a definition or a webhook is ours: one that names this Service, or a URL
// that begins so.
struct OurService {
  std::string name_space;
  std::string name;
  std::string url_prefix;  // empty: no URL is ours
};

// Sets the bundle (PEM) in every webhook of a configuration that asks us; others in it keep theirs.
// True when something changed.
bool InjectWebhooks(json::Value& configuration, const std::string& bundle,
                    const OurService& service);
// Whether all that ask us do.
bool WebhooksCarry(json::View configuration, const std::string& bundle, const OurService& service);
// What stands in their bundles, one after the other; what is no base64 is left out.
std::string WebhookBundles(json::View configuration, const OurService& service);

// Whether the definition's conversion asks us. One that asks nobody, or the Service of another
// operator, is not ours to touch.
bool ConvertsThroughUs(json::View definition, const OurService& service);
bool ConversionCarries(json::View definition, const std::string& bundle);
std::string ConversionBundle(json::View definition);
// The merge patch that sets the bundle, in this very version of the definition.
json::Value ConversionPatch(json::View definition, const std::string& bundle);

}  // namespace hearth::admission::certificates
