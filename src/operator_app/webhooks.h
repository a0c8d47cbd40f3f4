#pragma once

#include <memory>

#include "admission/certificates/source.h"
#include "admission/webhook/server.h"
#include "base/result.h"
#include "controller/manager.h"
#include "operator_app/controllers.h"
#include "operator_app/options.h"

namespace hearth::operator_app {

// The webhooks' server and whatever its certificate comes from, as runnables and ready checks of a
// manager: in every replica, and before any cache is filled, because filling may need a conversion.
class Webhooks : public Component {
 public:
  // kInvalid: the address cannot be understood.
  static Result<std::unique_ptr<Webhooks>> Create(controller::Manager& manager,
                                                  const OperatorOptions& options,
                                                  const std::string& version);
  ~Webhooks() override;

  const admission::webhook::WebhookServer& server() const { return *server_; }

 private:
  Webhooks() = default;
  Status Run(const std::stop_token& stop);

  std::unique_ptr<admission::certificates::CertificateSource> certificates_;
  std::unique_ptr<admission::webhook::WebhookServer> server_;
};

}  // namespace hearth::operator_app
