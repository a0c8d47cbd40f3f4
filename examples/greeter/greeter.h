#pragma once

#include <string>

#include "controller/conditions.h"
#include "controller/manager.h"

// The whole of a controller: what it reads, what it makes of it, what it says about it.
namespace hearth::greeter {

inline const kube::ResourceType kGreetings{"example.hearth.dev", "v1", "greetings", "Greeting",
                                           true};

// The fields this controller reads. The caches keep these and nothing else, a change of anything
// else wakes nobody, and reading a field that is not listed does not compile.
using Greeting = json::Projection<json::Field<"spec.salutation", std::string>,
                                  json::Field<"spec.guests", json::View>,
                                  json::Field<"status", json::View, json::Wake::kNo>>;
using ConfigMap = json::Projection<json::Field<"data", json::View>,
                                   json::Field<"metadata.annotations", json::View>,
                                   json::Field<"metadata.ownerReferences", json::View>>;

class Greeter : public controller::Reconciler {
 public:
  explicit Greeter(controller::Manager& manager)
      : clock_(manager.clock()),
        greetings_(manager.Watch<Greeting>(kGreetings)),
        config_maps_(manager.Watch<ConfigMap>(kube::types::ConfigMaps())) {
    manager.AddController({.name = "greeter"}, *this)
        .For(greetings_)
        .Owns(config_maps_, kGreetings);
  }

  // Called whenever a Greeting or its ConfigMap changed; also after a failure, and for a Greeting
  // that is gone.
  Result<controller::Outcome> Reconcile(controller::Pass& pass,
                                        const kube::ObjectKey& key) override {
    const auto greeting = greetings_.Get(key);
    if (!greeting || (*greeting)->deleting()) {
      return controller::Outcome::Done();  // the ConfigMap goes with its owner
    }
    const auto config_map = config_maps_.Get(key);
    ASSIGN_OR_RETURN(const bool changed, pass.Apply(kube::types::ConfigMaps(), Render(*greeting),
                                                    config_map ? &**config_map : nullptr));
    if (changed) {
      pass.Event(kGreetings, **greeting, controller::EventType::kNormal, "Greeted",
                 "wrote the greetings to the ConfigMap");
    }
    RETURN_IF_ERROR(pass.ApplyStatus(kGreetings, **greeting, StatusOf(*greeting)));
    return controller::Outcome::Done();
  }

 private:
  using Snapshot = controller::Snapshot<Greeting>;

  // Pure: a Greeting in, its ConfigMap out.
  static json::Value Render(const Snapshot& greeting) {
    json::Value config_map = kube::NewObject(kube::types::ConfigMaps(), greeting->key());
    const kube::OwnerReference owner{kGreetings.ApiVersion(),
                                     kGreetings.kind,
                                     std::string(greeting->name()),
                                     greeting->uid(),
                                     true,
                                     true};
    config_map["metadata"].Set("ownerReferences", json::Value::Array({owner.ToValue()}));
    std::string lines;
    for (const json::View guest : greeting.get<"spec.guests">().value_or(json::View()).items()) {
      lines +=
          greeting.get<"spec.salutation">().value_or("Hello") + ", " + guest.StringOr("") + "!\n";
    }
    config_map.Set("data", json::Value::Object({{"greetings", lines}}));
    return config_map;
  }

  json::Value StatusOf(const Snapshot& greeting) const {
    const auto guests =
        static_cast<int64_t>(greeting.get<"spec.guests">().value_or(json::View()).size());
    const controller::Condition ready{"Ready", "True", "Greeted", "every guest was greeted",
                                      greeting->generation()};
    const json::View before = greeting.get<"status">().value_or(json::View());
    return json::Value::Object(
        {{"guests", guests},
         {"conditions",
          controller::SetCondition(before["conditions"], ready, json::Time{clock_.WallNow()})}});
  }

  Clock& clock_;
  controller::Cached<Greeting> greetings_;
  controller::Cached<ConfigMap> config_maps_;
};

}  // namespace hearth::greeter
