#include "base/secret_name.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace hearth {
namespace {

// Capitals, and hyphens and dots as underscores: options and keys are written like variables.
std::string AsVariable(std::string_view name) {
  std::string variable(name);
  std::transform(variable.begin(), variable.end(), variable.begin(), [](unsigned char c) {
    return c == '-' || c == '.' ? '_' : static_cast<char>(std::toupper(c));
  });
  return variable;
}

// How many tokens a model takes, and what makes them, are not the tokens that are meant.
bool IsOfText(std::string_view variable) {
  const auto has = [&](std::string_view part) {
    return variable.find(part) != std::string_view::npos;
  };
  return has("TOKENIZER") || (has("TOKENS") && (has("MAX") || has("MIN") || has("NUM")));
}

}  // namespace

bool LooksLikeSecretName(std::string_view name) {
  constexpr std::array<std::string_view, 9> kParts = {"TOKEN",      "SECRET",     "PASSWORD",
                                                      "PASSWD",     "PASSPHRASE", "CREDENTIAL",
                                                      "PRIVATEKEY", "APIKEY",     "DATABASE_URL"};
  const std::string variable = AsVariable(name);
  // Where secrets are kept tells nobody any.
  if (variable.ends_with("_FILE") || variable.ends_with("_PATH") || IsOfText(variable)) {
    return false;
  }
  return variable.ends_with("_KEY") || variable.ends_with("_AUTH") || variable.ends_with("_PASS") ||
         std::any_of(kParts.begin(), kParts.end(), [&](std::string_view part) {
           return variable.find(part) != std::string::npos;
         });
}

}  // namespace hearth
