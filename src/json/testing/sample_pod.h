#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "json/value.h"

namespace hearth::json {

// A Pod as kube-apiserver sends it: about 7 KB, of which managedFields are nearly half. For benches
// and tests that need a real shape.
class SamplePod {
 public:
  static std::string Text(std::string_view name = "web-7d4b9c6f5-x2x7q") {
    return Value::Object({{"kind", "Pod"},
                          {"apiVersion", "v1"},
                          {"metadata", Metadata(name)},
                          {"spec", Spec()},
                          {"status", PodStatus()}})
        .Write();
  }

  // A PodList of `count` of them.
  static std::string ListText(int count) {
    std::string list =
        R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"812"},"items":[)";
    const std::string pod = Text();
    for (int i = 0; i < count; ++i) {
      list.append(i == 0 ? "" : ",").append(pod);
    }
    return list + "]}\n";
  }

 private:
  static constexpr std::string_view kUid = "5f0c2d0e-7b1b-4c5b-9d55-3a1c0e1f2a3b";
  static constexpr std::string_view kTime = "2026-11-15T22:11:52Z";

  static Value Metadata(std::string_view name) {
    return Value::Object(
        {{"name", name},
         {"generateName", "web-7d4b9c6f5-"},
         {"namespace", "production"},
         {"uid", kUid},
         {"resourceVersion", "9007199254740993"},
         {"generation", 3},
         {"creationTimestamp", kTime},
         {"labels", Value::Object({{"app", "web"}, {"pod-template-hash", "7d4b9c6f5"}})},
         {"annotations", Value::Object({{"example.com/config", R"({"mode":"fast","level":3})"}})},
         {"ownerReferences", Value::Array({Owner()})},
         {"managedFields", Value::Array({Manager("kube-controller-manager", SpecFields()),
                                         Manager("kubelet", StatusFields())})}});
  }

  static Value Owner() {
    return Value::Object({{"apiVersion", "apps/v1"},
                          {"kind", "ReplicaSet"},
                          {"name", "web-7d4b9c6f5"},
                          {"uid", kUid},
                          {"controller", true},
                          {"blockOwnerDeletion", true}});
  }

  static Value Manager(std::string_view name, Value fields) {
    return Value::Object({{"manager", name},
                          {"operation", "Update"},
                          {"apiVersion", "v1"},
                          {"time", kTime},
                          {"fieldsType", "FieldsV1"},
                          {"fieldsV1", std::move(fields)}});
  }

  // {"f:a":{},"f:b":{}}
  static Value Owned(std::initializer_list<std::string_view> names) {
    Value fields = Value::Object({{".", Value::Object()}});
    for (const std::string_view name : names) {
      fields.Set("f:" + std::string(name), Value::Object());
    }
    return fields;
  }

  static std::string ListKey(std::string_view member, std::string_view value) {
    return "k:" + Value::Object({{std::string(member), value}}).Write();
  }

  static Value ContainerFields() {
    Value env = Owned({});
    for (int i = 0; i < 5; ++i) {
      env.Set(ListKey("name", EnvName(i)), Owned({"name", "value"}));
    }
    Value fields = Owned({"args", "image", "imagePullPolicy", "name", "terminationMessagePath",
                          "terminationMessagePolicy"});
    fields.Set("f:env", std::move(env));
    fields.Set("f:livenessProbe", Owned({"failureThreshold", "periodSeconds", "successThreshold"}));
    fields["f:livenessProbe"].Set("f:httpGet", Owned({"path", "port", "scheme"}));
    fields.Set("f:ports", Owned({"containerPort", "name", "protocol"}));
    fields.Set("f:resources", Owned({"limits", "requests"}));
    return fields;
  }

  static Value SpecFields() {
    Value fields = Value::Object({{"f:metadata", Owned({"generateName", "labels"})}});
    Value& spec = fields["f:spec"];
    spec = Owned({"dnsPolicy", "restartPolicy", "schedulerName", "securityContext"});
    spec["f:containers"].Set(ListKey("name", "web"), ContainerFields());
    spec["f:containers"].Set(ListKey("name", "proxy"), ContainerFields());
    return fields;
  }

  static Value StatusFields() {
    Value fields;
    Value& status = fields["f:status"];
    status = Owned({"containerStatuses", "hostIP", "phase", "podIP", "podIPs", "startTime"});
    for (const char* type : kConditions) {
      status["f:conditions"].Set(ListKey("type", type),
                                 Owned({"lastProbeTime", "lastTransitionTime", "status", "type"}));
    }
    return fields;
  }

  static std::string EnvName(int i) { return "SETTING_" + std::to_string(i); }

  static Value Container(std::string_view name) {
    Value env = Value::Array();
    for (int i = 0; i < 5; ++i) {
      env.Append(Value::Object({{"name", EnvName(i)}, {"value", "value-" + std::to_string(i)}}));
    }
    return Value::Object(
        {{"name", name},
         {"image", "images.example.com/team/" + std::string(name) + "@sha256:" + Digest('a')},
         {"args", Value::Array({"--listen=:8080", "--log-level=info"})},
         {"ports", Value::Array({Value::Object(
                       {{"name", "http"}, {"containerPort", 8080}, {"protocol", "TCP"}})})},
         {"env", std::move(env)},
         {"resources", Resources()},
         {"volumeMounts", Value::Array({Mount()})},
         {"livenessProbe", Probe()},
         {"terminationMessagePath", "/dev/termination-log"},
         {"terminationMessagePolicy", "File"},
         {"imagePullPolicy", "IfNotPresent"}});
  }

  static Value Resources() {
    return Value::Object({{"limits", Value::Object({{"cpu", "2"}, {"memory", "4Gi"}})},
                          {"requests", Value::Object({{"cpu", "500m"}, {"memory", "1Gi"}})}});
  }

  static Value Mount() {
    return Value::Object({{"name", "kube-api-access-x2x7q"},
                          {"readOnly", true},
                          {"mountPath", "/var/run/secrets/kubernetes.io/serviceaccount"}});
  }

  static Value Probe() {
    return Value::Object(
        {{"httpGet", Value::Object({{"path", "/healthz"}, {"port", 8080}, {"scheme", "HTTP"}})},
         {"timeoutSeconds", 1},
         {"periodSeconds", 10},
         {"successThreshold", 1},
         {"failureThreshold", 3}});
  }

  static Value Spec() {
    return Value::Object(
        {{"volumes", Value::Array({Value::Object(
                         {{"name", "kube-api-access-x2x7q"}, {"projected", ProjectedToken()}})})},
         {"containers", Value::Array({Container("web"), Container("proxy")})},
         {"restartPolicy", "Always"},
         {"terminationGracePeriodSeconds", 30},
         {"dnsPolicy", "ClusterFirst"},
         {"serviceAccountName", "default"},
         {"nodeName", "node-17"},
         {"securityContext", Value::Object()},
         {"schedulerName", "default-scheduler"},
         {"priority", 0},
         {"enableServiceLinks", true}});
  }

  static Value ProjectedToken() {
    return Value::Object(
        {{"sources", Value::Array({Value::Object(
                         {{"serviceAccountToken",
                           Value::Object({{"expirationSeconds", 3607}, {"path", "token"}})}})})},
         {"defaultMode", 420}});
  }

  static Value PodStatus() {
    Value conditions = Value::Array();
    for (const char* type : kConditions) {
      conditions.Append(Value::Object({{"type", type},
                                       {"status", "True"},
                                       {"lastProbeTime", nullptr},
                                       {"lastTransitionTime", kTime}}));
    }
    return Value::Object(
        {{"phase", "Running"},
         {"conditions", std::move(conditions)},
         {"hostIP", "10.0.0.17"},
         {"podIP", "10.244.3.9"},
         {"podIPs", Value::Array({Value::Object({{"ip", "10.244.3.9"}})})},
         {"startTime", kTime},
         {"containerStatuses", Value::Array({ContainerStatus("web"), ContainerStatus("proxy")})},
         {"qosClass", "Burstable"}});
  }

  static Value ContainerStatus(std::string_view name) {
    return Value::Object(
        {{"name", name},
         {"state", Value::Object({{"running", Value::Object({{"startedAt", kTime}})}})},
         {"lastState", Value::Object()},
         {"ready", true},
         {"restartCount", 0},
         {"image", "images.example.com/team/" + std::string(name)},
         {"imageID", "images.example.com/team/" + std::string(name) + "@sha256:" + Digest('c')},
         {"containerID", "containerd://" + Digest('e')},
         {"started", true}});
  }

  static std::string Digest(char digit) { return std::string(64, digit); }

  static constexpr const char* kConditions[] = {"Initialized", "Ready", "ContainersReady",
                                                "PodScheduled"};
};

}  // namespace hearth::json
