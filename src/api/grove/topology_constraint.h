#pragma once

#include <optional>
#include <string>

#include "api/table/struct_table.h"

namespace hearth::api::grove {

// The name of a level of the cluster's topology: "rack".
Node TopologyDomain();

// Within what part of the cluster each replica must or should stay: of a PodCliqueSet, a scaling
// group or a clique. In terms of domains; PodGangs speak of node label keys instead.
struct TopologyConstraint {
  struct Pack {
    std::string required;
    std::string preferred;
    static const StructTable& Fields();
  };
  std::string topology_name;
  std::optional<Pack> pack;
  std::string pack_domain;  // deprecated: what pack.required was called
  static const StructTable& Fields();

  // The domain that must hold, by whichever name it was given; empty: none.
  const std::string& RequiredDomain() const {
    return pack.has_value() && !pack->required.empty() ? pack->required : pack_domain;
  }
};

}  // namespace hearth::api::grove
