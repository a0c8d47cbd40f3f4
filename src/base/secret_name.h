#pragma once

#include <string_view>

namespace hearth {

// Whether a variable, an option or a key is called like something that holds a secret: HF_TOKEN,
// --api-key, aws_secret_access_key. Names of files and folders that hold some are no secrets.
bool LooksLikeSecretName(std::string_view name);

}  // namespace hearth
