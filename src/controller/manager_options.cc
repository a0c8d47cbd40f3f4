#include "controller/manager.h"

namespace hearth::controller {

void ManagerOptions::AddTo(OptionTable& table) {
  table.Add({.name = "kubeconfig",
             .help =
                 "File that says how to reach the API server; without it $KUBECONFIG, the pod's "
                 "service account, then ~/.kube/config",
             .target = &config.kubeconfig,
             .value_name = "file"});
  table.Add({.name = "context",
             .help = "Context of the kubeconfig to use instead of its current one",
             .target = &config.context,
             .value_name = "name"});
  table.Add({.name = "health-address",
             .help = "Where /healthz, /readyz and /metrics are served, host:port or :port; none "
                     "when empty",
             .target = &health_address,
             .value_name = "address"});
  table.Add({.name = "leader-elect",
             .help = "Act only while holding a lease, so that several instances may run",
             .target = &leader_elect});
  table.Add({.name = "lease-name",
             .help = "Name of that lease; the program's name when empty",
             .target = &lease_name,
             .value_name = "name"});
  table.Add({.name = "lease-namespace",
             .help = "Name space of that lease; the pod's or the context's when empty",
             .target = &lease_namespace,
             .value_name = "name"});
  table.Add({.name = "lease-duration",
             .help = "How long others wait for a leader that is silent before they take over",
             .target = &lease_duration,
             .check = Positive()});
  table.Add(
      {.name = "renew-deadline",
       .help = "How long a leader goes on without having renewed; shorter than lease-duration",
       .target = &renew_deadline,
       .check = Positive()});
  table.Add({.name = "retry-period",
             .help = "How often a lease is renewed or tried for",
             .target = &retry_period,
             .check = Positive()});
  table.Add({.name = "log-format",
             .help = "How log lines look: text for people, json for machines",
             .target = &log_format,
             .check = OneOf({"text", "json"})});
  table.Add({.name = "log-level",
             .help = "What is logged: this and what is worse",
             .target = &log_level,
             .check = OneOf({"debug", "info", "warning", "error", "off"})});
}

Logger ManagerOptions::MakeLogger() const {
  return {StderrSink(), ParseLogFormat(log_format).value_or(LogFormat::kText),
          ParseLogLevel(log_level).value_or(LogLevel::kInfo)};
}

}  // namespace hearth::controller
