#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "net/internal/openssl.h"
#include "net/tls.h"

namespace hearth::net {

// TlsContext as the connecting and the accepting code sees it.
class OpensslContext final : public TlsContext {
 public:
  OpensslContext(SslCtxPtr context, Options options)
      : options_(std::move(options)), context_(std::move(context)) {}

  Status Replace(const TlsMaterial& material) override;
  const Options& options() const override { return options_; }

  // A session with the material of this moment. `host` is whom a client wants to reach: the name it
  // asks for and verifies, unless the options name another.
  Result<SslPtr> NewSession(const std::string& host) const;

 private:
  SslCtxPtr Current() const;

  const Options options_;
  mutable std::mutex mutex_;
  SslCtxPtr context_;
};

// Every TlsContext is one.
inline OpensslContext& Openssl(TlsContext& context) {
  return static_cast<OpensslContext&>(context);
}

}  // namespace hearth::net
