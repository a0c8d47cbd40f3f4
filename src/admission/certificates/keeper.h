#pragma once

#include <memory>
#include <string>
#include <vector>

#include "admission/certificates/rotation.h"
#include "admission/certificates/source.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/metrics.h"
#include "kube/client/client.h"

namespace hearth::admission::certificates {

struct KeeperOptions {
  std::string name_space;  // of the operator, its Service and its Secret
  std::string service;
  std::string secret = "webhook-server-cert";
  ServingNames names;  // of the Service when empty
  // Webhook configurations that carry this label with the value of `name_space` are kept.
  std::string label = "nvidia.com/dynamo-operator-namespace";
  // Definitions whose conversion may ask us.
  std::vector<std::string> definitions = {"dynamographdeployments.nvidia.com",
                                          "dynamocomponentdeployments.nvidia.com"};
  // Conversions by URL that are ours begin with this; empty: none are.
  std::string url_prefix;
  // How long every bundle must have carried an authority before what it signed is shown: API
  // servers, and there may be several, learn of a configuration through watches of their own.
  Duration settle = std::chrono::minutes(1);
  Duration request_timeout = std::chrono::seconds(10);
  Periods periods;
};

// An authority of our own, kept in a Secret that all replicas share, with its certificate in every
// caBundle that must believe it, put back when somebody overwrites it. Watches wake it; what it
// then does follows from what it reads, so that any number of replicas may do the same at once: who
// writes second is refused by the resource version and reads again.
//
// A Secret of that name with content that cannot be used is replaced, with a warning in the log.
// One whose certificate is good but whose authority cannot sign (made by another tool) is served
// until an authority of ours has taken over.
class CertificateKeeper : public CertificateSource {
 public:
  // `client` and `clock` must outlive it; `metrics` may be null.
  CertificateKeeper(kube::Client& client, Clock& clock, KeeperOptions options, Logger logger,
                    Metrics* metrics);
  ~CertificateKeeper() override;

  Status Run(const std::stop_token& stop, const Serve& serve) override;
  Status Ready() const override;

  // One look at everything, and whatever follows from it; how soon to look again. What Run does
  // when woken.
  Result<Duration> Look(const Serve& serve, const WaitLimit& limit);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hearth::admission::certificates
