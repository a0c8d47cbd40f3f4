#include "dynamo/render/internal/probes.h"

#include <string>

namespace hearth::dynamo::internal {
namespace {

using json::Value;

Value Timed(Value probe, const ProbeTimes& times) {
  if (times.delay != 0) {
    probe.Set("initialDelaySeconds", times.delay);
  }
  probe.Set("periodSeconds", times.period);
  probe.Set("timeoutSeconds", times.timeout);
  probe.Set("failureThreshold", times.failures);
  return probe;
}

}  // namespace

Value HttpProbe(std::string_view path, std::string_view port, const ProbeTimes& times) {
  return Timed(Value::Object({{"httpGet", Value::Object({{"path", path}, {"port", port}})}}),
               times);
}

Value ExecProbe(const std::vector<std::string>& command, const ProbeTimes& times) {
  Value words = Value::Array();
  for (const std::string& word : command) {
    words.Append(word);
  }
  return Timed(Value::Object({{"exec", Value::Object({{"command", std::move(words)}})}}), times);
}

void RetargetProbes(Value& container, std::string_view port) {
  for (const std::string_view name : kProbes) {
    Value* const probe = container.Find(name);
    for (const char* const kind : {"httpGet", "tcpSocket"}) {
      Value* const action = probe == nullptr ? nullptr : probe->Find(kind);
      if (action != nullptr && action->IsObject()) {
        action->Set("port", port);
      }
    }
  }
}

}  // namespace hearth::dynamo::internal
