#pragma once

#include <string_view>

#include "schema/schema.h"

namespace hearth::api::core {

// The structural schema of one of Kubernetes' own types ("core.v1.PodTemplateSpec") with everything
// it refers to, as controller-gen puts it into a CustomResourceDefinition, without descriptions:
//   quantities            int-or-string with the pattern of quantities
//   lists and maps        list type, list map keys, map type
//   defaults              those that Kubernetes' types declare (protocol: TCP)
//   enums, unions, ranges left out: Kubernetes' own validation knows them, and newer values
//   RawExtension          an object that keeps unknown fields
//   metadata              EmbeddedMetadata() in templates; for a resource of its own just an
//   object,
//                         since a CustomResourceDefinition may say nothing more of it
// ObjectMeta itself, asked for by name, is complete. So are the plain types: quantity, intOrString,
// time. Built once when first asked for and shared after that. CHECKs the name. Thread-safe.
schema::SchemaPtr TypeSchema(std::string_view type);

// The metadata of a template: labels, annotations, name, namespace and finalizers. controller-gen
// says only `type: object` there, and the API server prunes users' labels.
schema::SchemaPtr EmbeddedMetadata();

}  // namespace hearth::api::core
