#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "cel/collections.h"
#include "cel/internal/function.h"
#include "cel/internal/url.h"
#include "cel/opaque.h"

namespace hearth::cel::internal {
namespace {

class UrlValue final : public Opaque {
 public:
  explicit UrlValue(Url url) : Opaque(Kind::kUrl), url_(std::move(url)) {}
  bool Equals(const Opaque& other) const override {
    return url_ == static_cast<const UrlValue&>(other).url_;
  }
  const Url& url() const { return url_; }

 private:
  Url url_;
};

const Url& UrlOf(const Call& call) { return static_cast<const UrlValue&>(call[0].opaque()).url(); }

Value Text(std::string_view text) { return Value::String(std::string(text)); }

Value MakeUrl(const Call& call) {
  const auto fail = [](const Status& status) {
    return Value::Error(
        fmt::format("URL parse error during conversion from string: {}", status.message()));
  };
  if (const auto checked = ParseRequestUri(call[0].text()); !checked.ok()) {
    return fail(checked.status());
  }
  // ParseRequestUri takes a fragment for a part of the path.
  auto url = ParseUrl(call[0].text());
  return url.ok() ? Value::OfOpaque(std::make_shared<UrlValue>(std::move(url).value()))
                  : fail(url.status());
}

Value IsUrl(const Call& call) { return Value::Bool(ParseRequestUri(call[0].text()).ok()); }
Value GetScheme(const Call& call) { return Text(UrlOf(call).scheme); }
Value GetHost(const Call& call) { return Text(UrlOf(call).host); }
Value GetHostname(const Call& call) { return Text(HostName(UrlOf(call))); }
Value GetPort(const Call& call) { return Text(Port(UrlOf(call))); }
Value GetEscapedPath(const Call& call) { return Text(UrlOf(call).path); }

Value GetQuery(const Call& call) {
  Entries entries;
  for (const auto& [name, values] : Query(UrlOf(call))) {
    // Escapes can spell bytes that are no text.
    std::vector<Value> items;
    for (const auto& value : values) {
      items.push_back(Text(ValidUtf8(value) ? value : ""));
    }
    if (ValidUtf8(name)) {
      entries.emplace(Text(name), MakeList(std::move(items)));
    }
  }
  return MakeMap(std::move(entries));
}

constexpr auto kMember = Style::kMember;
const Overload kFunctions[] = {
    {"url", Style::kGlobal, {Kind::kString}, MakeUrl, CostRule::kText},
    {"isURL", Style::kGlobal, {Kind::kString}, IsUrl},
    {"getScheme", kMember, {Kind::kUrl}, GetScheme},
    {"getHost", kMember, {Kind::kUrl}, GetHost},
    {"getHostname", kMember, {Kind::kUrl}, GetHostname},
    {"getPort", kMember, {Kind::kUrl}, GetPort},
    {"getEscapedPath", kMember, {Kind::kUrl}, GetEscapedPath},
    {"getQuery", kMember, {Kind::kUrl}, GetQuery},
};

}  // namespace

Overloads UrlFunctions() { return kFunctions; }

}  // namespace hearth::cel::internal
