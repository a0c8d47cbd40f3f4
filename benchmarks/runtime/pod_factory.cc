#include "pod_factory.h"

#include <fmt/format.h>

#include "base/hash.h"
#include "kube/model/object.h"

namespace hearth::bench {
namespace {

using json::Value;

constexpr std::string_view kTime = "2026-11-15T22:11:52Z";
constexpr std::string_view kAlphabet = "bcdfghjklmnpqrstvwxz2456789";
constexpr size_t kPodsPerNode = 40;

uint64_t Scrambled(std::string_view what, size_t number) {
  return HashBytes(what, static_cast<uint64_t>(number) + 1);
}

// The random-looking end of generated names.
std::string Suffix(uint64_t bits, size_t length) {
  std::string text;
  for (size_t i = 0; i < length; ++i, bits /= kAlphabet.size()) {
    text += kAlphabet[bits % kAlphabet.size()];
  }
  return text;
}

std::string Uid(std::string_view what, size_t number) {
  const uint64_t a = Scrambled(what, number);
  const uint64_t b = Scrambled(what, ~number);
  return fmt::format("{:08x}-{:04x}-4{:03x}-9{:03x}-{:012x}", a >> 32, (a >> 16) & 0xffff,
                     a & 0xfff, b >> 52, b & 0xffffffffffff);
}

std::string App(size_t number) { return fmt::format("checkout-{:03d}", number / kPodsPerApp); }
std::string ReplicaSet(size_t number) {
  return App(number) + "-" + Suffix(Scrambled("replicaset", number / kPodsPerApp), 9);
}
std::string Node(size_t number) {
  return fmt::format("node-{:03d}.eu-central-1.example.com", number / kPodsPerNode);
}
std::string HostIp(size_t number) {
  return fmt::format("10.0.{}.{}", number / kPodsPerNode / 250, number / kPodsPerNode % 250 + 2);
}
std::string PodIp(size_t number) {
  return fmt::format("10.{}.{}.{}", 64 + number / 62500, number / 250 % 250, number % 250 + 2);
}

Value Metadata(const std::string& name_space, size_t number) {
  const std::string hash = Suffix(Scrambled("replicaset", number / kPodsPerApp), 9);
  return Value::Object(
      {{"name", PodKey(name_space, number).name},
       {"namespace", name_space},
       {"labels", Value::Object({{"app", App(number)},
                                 {"app.kubernetes.io/name", App(number)},
                                 {"app.kubernetes.io/version", "2.14.3"},
                                 {"pod-template-hash", hash}})},
       {"annotations",
        Value::Object(
            {{"bench/sent", "1000000000000000000"},
             {"prometheus.io/scrape", "true"},
             {"prometheus.io/port", "9102"},
             {"checksum/config",
              fmt::format("{:016x}{:016x}", Scrambled("config", number / kPodsPerApp), 7)}})},
       {"ownerReferences",
        Value::Array({Value::Object({{"apiVersion", "apps/v1"},
                                     {"kind", "ReplicaSet"},
                                     {"name", ReplicaSet(number)},
                                     {"uid", Uid("replicaset", number / kPodsPerApp)},
                                     {"controller", true},
                                     {"blockOwnerDeletion", true}})})}});
}

Value Environment(const std::string& name, const std::string& value) {
  return Value::Object({{"name", name}, {"value", value}});
}

Value EnvironmentFrom(const std::string& name, const std::string& field) {
  return Value::Object(
      {{"name", name},
       {"valueFrom", Value::Object({{"fieldRef", Value::Object({{"fieldPath", field}})}})}});
}

Value Probe(const std::string& path, int period) {
  return Value::Object({{"httpGet", Value::Object({{"path", path}, {"port", "http"}})},
                        {"periodSeconds", period},
                        {"timeoutSeconds", 2},
                        {"failureThreshold", 3}});
}

Value Resources(const std::string& cpu, const std::string& memory) {
  return Value::Object({{"requests", Value::Object({{"cpu", cpu}, {"memory", memory}})},
                        {"limits", Value::Object({{"memory", memory}})}});
}

Value Mount(const std::string& name, const std::string& path) {
  return Value::Object({{"name", name}, {"mountPath", path}, {"readOnly", true}});
}

Value Port(const std::string& name, int number) {
  return Value::Object({{"name", name}, {"containerPort", number}, {"protocol", "TCP"}});
}

Value ServerContainer(size_t number) {
  return Value::Object(
      {{"name", "server"},
       {"image", "registry.example.com/shop/checkout:2.14.3"},
       {"args", Value::Array({"--listen=:8080", "--log-format=json", "--shutdown-grace=20s"})},
       {"ports", Value::Array({Port("http", 8080), Port("metrics", 9102)})},
       {"env", Value::Array(
                   {Environment("LOG_LEVEL", "info"), Environment("REGION", "eu-central-1"),
                    Environment("DATABASE_URL",
                                fmt::format("postgres://db-{}.shop.svc:5432/checkout", number % 4)),
                    EnvironmentFrom("POD_NAME", "metadata.name"),
                    EnvironmentFrom("NODE_NAME", "spec.nodeName")})},
       {"resources", Resources("250m", "512Mi")},
       {"readinessProbe", Probe("/ready", 5)},
       {"livenessProbe", Probe("/live", 10)},
       {"volumeMounts",
        Value::Array({Mount("config", "/etc/checkout"),
                      Mount("kube-api-access", "/var/run/secrets/kubernetes.io/serviceaccount")})},
       {"securityContext",
        Value::Object({{"allowPrivilegeEscalation", false}, {"readOnlyRootFilesystem", true}})}});
}

Value SidecarContainer() {
  return Value::Object(
      {{"name", "log-forwarder"},
       {"image", "registry.example.com/platform/log-forwarder:1.9.0"},
       {"env", Value::Array({EnvironmentFrom("POD_IP", "status.podIP")})},
       {"resources", Resources("20m", "64Mi")},
       {"volumeMounts", Value::Array({Mount("kube-api-access",
                                            "/var/run/secrets/kubernetes.io/serviceaccount")})}});
}

Value ProjectedVolume() {
  const auto source = [](const char* kind, Value value) {
    return Value::Object({{kind, std::move(value)}});
  };
  const auto items = [](const char* key) {
    return Value::Array({Value::Object({{"key", key}, {"path", key}})});
  };
  return Value::Object(
      {{"name", "kube-api-access"},
       {"projected",
        Value::Object(
            {{"sources",
              Value::Array(
                  {source("serviceAccountToken",
                          Value::Object({{"expirationSeconds", 3607}, {"path", "token"}})),
                   source("configMap", Value::Object({{"name", "kube-root-ca.crt"},
                                                      {"items", items("ca.crt")}}))})}})}});
}

Value Spec(size_t number) {
  return Value::Object(
      {{"nodeName", Node(number)},
       {"serviceAccountName", "checkout"},
       {"automountServiceAccountToken", false},  // the volume below is what the server would add
       {"priority", 0},
       {"terminationGracePeriodSeconds", 30},
       {"containers", Value::Array({ServerContainer(number), SidecarContainer()})},
       {"volumes",
        Value::Array(
            {ProjectedVolume(),
             Value::Object({{"name", "config"},
                            {"configMap", Value::Object({{"name", App(number) + "-config"}})}})})},
       {"tolerations", Value::Array({Value::Object({{"key", "node.kubernetes.io/not-ready"},
                                                    {"operator", "Exists"},
                                                    {"effect", "NoExecute"},
                                                    {"tolerationSeconds", 300}})})}});
}

Value Condition(const char* type) {
  return Value::Object({{"type", type},
                        {"status", "True"},
                        {"lastProbeTime", nullptr},
                        {"lastTransitionTime", kTime}});
}

Value ContainerStatus(const std::string& name, const std::string& image, size_t number) {
  const uint64_t id = Scrambled(name, number);
  return Value::Object(
      {{"name", name},
       {"image", image},
       {"imageID", fmt::format("registry.example.com/x@sha256:{0:016x}{0:016x}{0:016x}{0:016x}",
                               HashBytes(image))},
       {"containerID", fmt::format("containerd://{0:016x}{1:016x}{0:016x}{1:016x}", id, ~id)},
       {"ready", true},
       {"started", true},
       {"restartCount", 0},
       {"state", Value::Object({{"running", Value::Object({{"startedAt", kTime}})}})},
       {"lastState", Value::Object()}});
}

}  // namespace

kube::ObjectKey PodKey(const std::string& name_space, size_t number) {
  // The factor has nothing in common with the size of the alphabet, so no two numbers give the same
  // suffix.
  return {name_space, ReplicaSet(number) + "-" + Suffix(number * 7919 + 65537, 5)};
}

json::Value PodBody(const std::string& name_space, size_t number) {
  return Value::Object({{"apiVersion", "v1"},
                        {"kind", "Pod"},
                        {"metadata", Metadata(name_space, number)},
                        {"spec", Spec(number)}});
}

json::Value PodStatusPatch(size_t number) {
  return Value::Object(
      {{"status",
        Value::Object(
            {{"phase", "Running"},
             {"qosClass", "Burstable"},
             {"hostIP", HostIp(number)},
             {"hostIPs", Value::Array({Value::Object({{"ip", HostIp(number)}})})},
             {"podIP", PodIp(number)},
             {"podIPs", Value::Array({Value::Object({{"ip", PodIp(number)}})})},
             {"startTime", kTime},
             {"conditions",
              Value::Array({Condition("PodReadyToStartContainers"), Condition("Initialized"),
                            Condition("Ready"), Condition("ContainersReady"),
                            Condition("PodScheduled")})},
             {"containerStatuses",
              Value::Array(
                  {ContainerStatus("server", "registry.example.com/shop/checkout:2.14.3", number),
                   ContainerStatus("log-forwarder",
                                   "registry.example.com/platform/log-forwarder:1.9.0",
                                   number)})}})}});
}

json::Value SentPatch(int64_t sent_ns) {
  return Value::Object(
      {{"metadata",
        Value::Object(
            {{"annotations", Value::Object({{"bench/sent", fmt::format("{:019d}", sent_ns)}})}})}});
}

}  // namespace hearth::bench
