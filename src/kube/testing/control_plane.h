#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/process_runner.h"
#include "base/result.h"
#include "kube/config/config.h"

namespace hearth::kube {

// Where the test binaries are: TEST_ASSET_KUBE_APISERVER, TEST_ASSET_ETCD, TEST_ASSET_KUBECTL, then KUBEBUILDER_ASSETS, then what
// tools/kube-assets installs. kNotFound with the reason when there are none.
struct KubeBinaries {
  std::string apiserver;
  std::string etcd;
  std::string kubectl;
  std::string controller_manager;
  static Result<KubeBinaries> Find();
};

// A real etcd and kube-apiserver on loopback, with a CA of their own, RBAC on, in a temporary directory; killed and removed when it goes.
// Ready when Start returns. Not thread-safe but for config(), token() and NewNamespace.
class TestControlPlane {
 public:
  struct Options {
    // Controllers of kube-controller-manager to run, e.g. "garbage-collector-controller"; none: it does not run.
    std::vector<std::string> controllers;
    std::vector<std::string> apiserver_args;
    bool etcd_fsync = false;
  };
  static Result<std::unique_ptr<TestControlPlane>> Start(Options options);
  ~TestControlPlane();

  // As a member of system:masters, by token.
  Config config() const;
  const std::string& token() const;
  std::string server_url() const;
  std::string ca_file() const;
  std::string kubeconfig_path() const;
  int apiserver_pid() const;

  // A fresh name space, "<prefix>-<number>".
  Result<std::string> NewNamespace(const std::string& prefix);
  // Runs kubectl as admin; its standard output. The error holds what it said.
  Result<std::string> Kubectl(std::vector<std::string> args);

  // SIGKILL; the data stays.
  void KillApiServer();
  // On the same port with the same data; returns when it is ready.
  Status StartApiServer();
  void PauseApiServer();   // SIGSTOP
  void ResumeApiServer();  // SIGCONT
  // A new certificate from the same CA; returns when the server shows it.
  Status ReplaceServingCertificate();

 private:
  struct Impl;
  explicit TestControlPlane(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// One control plane for the whole test program, started when first asked for and stopped at the program's end. Null when there can be
// none on this machine; `why_not` then says why.
TestControlPlane* SharedControlPlane(std::string* why_not);

}  // namespace hearth::kube
