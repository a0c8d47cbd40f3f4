#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "kube/config/internal/exec_credential.h"

// What a plugin prints: an answer that is taken can be sent as a header, whatever it is.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  hearth::kube::ExecPlugin plugin;
  plugin.command = "plugin";
  plugin.api_version = "client.authentication.k8s.io/v1";
  const auto answer =
      hearth::kube::internal::ParseExecAnswer({reinterpret_cast<const char*>(data), size}, plugin);
  if (answer.ok()) {
    const auto& current = answer->current;
    CHECK(!current.authorization.empty() || !current.certificate_pem.empty());
    CHECK(current.certificate_pem.empty() == current.private_key_pem.empty());
    for (const char c : current.authorization) {
      CHECK(c >= ' ' && c <= '~');
    }
  }
  return 0;
}
