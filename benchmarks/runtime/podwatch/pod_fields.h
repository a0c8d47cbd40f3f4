#pragma once

#include <cstdint>
#include <string_view>

#include "json/projection.h"

namespace hearth::bench {

// The ten fields that every podwatch reads.
using PodFields = json::Projection<
    json::Field<"metadata.labels.app", std::string_view>,
    json::Field<"metadata.annotations['bench/sent']", std::string_view>,
    json::Field<"metadata.ownerReferences[].uid", std::string_view>,
    json::Field<"spec.nodeName", std::string_view>,
    json::Field<"spec.serviceAccountName", std::string_view>, json::Field<"spec.priority", int64_t>,
    json::Field<"status.phase", std::string_view>, json::Field<"status.podIP", std::string_view>,
    json::Field<"status.hostIP", std::string_view>, json::Field<"status.startTime", json::Time>>;

// The same ten are read, but everything except managedFields is kept.
class WholePod : public PodFields {
 public:
  using PodFields::PodFields;
  static json::FieldSet Fields();
};

}  // namespace hearth::bench
