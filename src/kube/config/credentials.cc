#include "kube/config/credentials.h"

#include <utility>

#include "base/base64.h"
#include "kube/config/internal/authorization.h"

namespace hearth::kube {
namespace {

// The same answer always.
class FixedCredentials : public Credentials {
 public:
  explicit FixedCredentials(Result<std::string> authorization)
      : authorization_(std::move(authorization)) {}

  Result<Current> Get(const WaitLimit&) override {
    RETURN_IF_ERROR(authorization_);
    return Current{*authorization_, "", ""};
  }
  bool MayBlock() const override { return false; }
  void Rejected() override {}

 private:
  const Result<std::string> authorization_;
};

}  // namespace

std::unique_ptr<Credentials> NoCredentials() {
  return std::make_unique<FixedCredentials>(std::string());
}

std::unique_ptr<Credentials> StaticToken(std::string token) {
  return std::make_unique<FixedCredentials>(internal::BearerHeader(token));
}

std::unique_ptr<Credentials> BasicAuth(const std::string& user, const std::string& password) {
  return std::make_unique<FixedCredentials>("Basic " + EncodeBase64(user + ":" + password));
}

}  // namespace hearth::kube
