#include "api/dynamo/checkpoint_id.h"

#include <openssl/rand.h>

#include <array>
#include <string_view>

#include "base/check.h"
#include "base/sha256.h"
#include "json/value.h"

namespace hearth::api::dynamo {
namespace {

using json::Value;

std::string Hex(const unsigned char* bytes, size_t count) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (size_t i = 0; i < count; ++i) {
    text += kDigits[bytes[i] >> 4];
    text += kDigits[bytes[i] & 15];
  }
  return text;
}

std::string FirstDigits(std::string_view text, size_t digits) {
  return Sha256Hex(text).substr(0, digits);
}

// Go's encoder also escapes what could end a script element, and two separators that JavaScript
// takes for line ends.
std::string AsGoWrites(const Value& value) {
  struct Escape {
    std::string_view plain;
    std::string_view escaped;
  };
  constexpr std::array<Escape, 5> kEscapes = {{{"<", "\\u003c"},
                                               {">", "\\u003e"},
                                               {"&", "\\u0026"},
                                               {"\xe2\x80\xa8", "\\u2028"},
                                               {"\xe2\x80\xa9", "\\u2029"}}};
  std::string text = value.Write();
  for (const Escape& escape : kEscapes) {
    for (size_t at = 0; (at = text.find(escape.plain, at)) != std::string::npos;) {
      text.replace(at, escape.plain.size(), escape.escaped);
      at += escape.escaped.size();
    }
  }
  return text;
}

void SetUnlessEmpty(Value& object, std::string_view name, const std::string& text) {
  if (!text.empty()) {
    object.Set(name, text);
  }
}

}  // namespace

std::string IdentityHash(const IdentityParts& identity) {
  const auto at_least_one = [](int64_t size) { return size == 0 ? int64_t{1} : size; };
  Value object = Value::Object();
  object.Set("model", identity.model);
  object.Set("backendFramework", identity.backend_framework);
  SetUnlessEmpty(object, "dynamoVersion", identity.dynamo_version);
  object.Set("tensorParallelSize", at_least_one(identity.tensor_parallel_size));
  object.Set("pipelineParallelSize", at_least_one(identity.pipeline_parallel_size));
  SetUnlessEmpty(object, "dtype", identity.dtype);
  if (identity.max_model_len != 0) {
    object.Set("maxModelLen", identity.max_model_len);
  }
  for (const auto& [name, value] : identity.extra_parameters) {
    object["extraParameters"].Set(name, value);
  }
  return FirstDigits(AsGoWrites(object), 16);
}

std::string AutoCheckpointId(const AutoCheckpointParts& parts) {
  Value object = Value::Object();
  SetUnlessEmpty(object, "namespace", parts.name_space);
  object.Set("dgdName", parts.graph_name);
  SetUnlessEmpty(object, "dgdUID", parts.graph_uid);
  object.Set("componentName", parts.component_name);
  SetUnlessEmpty(object, "workerHash", parts.worker_hash);
  return FirstDigits(AsGoWrites(object), 32);
}

std::string RandomCheckpointId() {
  std::array<unsigned char, 16> bytes{};
  CHECK(RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) == 1);
  return Hex(bytes.data(), bytes.size());
}

}  // namespace hearth::api::dynamo
