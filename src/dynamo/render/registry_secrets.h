#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "json/view.h"

// Which Secrets hold credentials for the registry of an image.
namespace hearth::dynamo {

// Registries that a Secret of type kubernetes.io/dockerconfigjson has credentials for, as it names
// them, without scheme: "registry.example", "registry.example/team". None when it cannot be read.
std::vector<std::string> RegistriesOf(json::View secret_data);

// Whether credentials for `registry` are meant for the image. An image that names no registry is
// Docker's.
bool Serves(std::string_view registry, std::string_view image);

}  // namespace hearth::dynamo
