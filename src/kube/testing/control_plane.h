#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/process_runner.h"
#include "base/result.h"
#include "kube/config/config.h"

namespace hearth::kube {

// The programs of a real control plane.
struct KubeBinaries {
  std::string apiserver;
  std::string etcd;
  std::string kubectl;
  // Only there where they were asked for when the others were made.
  std::string controller_manager;
  std::string scheduler;
  std::string kubelet;
  std::string example_driver;  // of devices, for dynamic resource allocation
  std::string helm;

  // As envtest looks: TEST_ASSET_KUBE_APISERVER, TEST_ASSET_ETCD and TEST_ASSET_KUBECTL, then
  // $KUBEBUILDER_ASSETS, then what tools/kube-assets provides (it builds them the first time, which
  // takes minutes). kNotFound says why they cannot be had here.
  static Result<KubeBinaries> Find();
};

// A real kube-apiserver with its etcd, on free loopback ports and in a directory of its own, for
// tests. It checks rights by RBAC, knows one token of an administrator, and shows a certificate of
// an authority made for it. Everything it started is killed when it goes. Start it from the main
// thread: its processes end with the thread that started them.
class TestControlPlane {
 public:
  // What pods call the server: the address of the Service kubernetes. Nothing leads there unless
  // somebody sees to it.
  static constexpr const char* kServiceAddress = "10.0.0.1";

  struct Options {
    std::vector<std::string> apiserver_args;
    std::vector<std::string> controllers;  // run by a kube-controller-manager; none: no manager
    bool scheduler = false;                // a kube-scheduler, for pods that are to run
    bool etcd_fsync = false;
  };
  // Ready when it returns. kNotFound when the programs cannot be had here.
  static Result<std::unique_ptr<TestControlPlane>> Start(Options options);
  ~TestControlPlane();

  Config config() const;  // as the administrator
  const std::string& token() const;
  std::string server_url() const;
  std::string ca_file() const;
  std::string kubeconfig_path() const;
  int apiserver_pid() const;  // -1 while it is killed

  // Creates one that no other test of this control plane has; its name.
  Result<std::string> NewNamespace(const std::string& prefix);
  // What kubectl prints, as the administrator; a failure has what it said on stderr.
  Result<std::string> Kubectl(std::vector<std::string> args);
  // All that kubectl prints, whatever its exit code: of several objects it may take some.
  Result<ProcessOutcome> RunKubectl(const std::vector<std::string>& args);

  // As if the machine had been switched off, and on again: same port, same data.
  void KillApiServer();
  Status StartApiServer();
  // A server that hangs: connections stay, nothing answers.
  void PauseApiServer();
  void ResumeApiServer();
  // Another certificate of the same authority; returns when new connections get it.
  Status ReplaceServingCertificate();
  // The same with a certificate of a new authority: ca_file() and config() are those of the new
  // one, and who trusts only the old one is shut out.
  Status ReplaceAuthority();

 private:
  struct Impl;
  explicit TestControlPlane(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// One for the whole test program, started when first asked for and stopped after the last test.
// Null when it cannot be had, and `why_not` says why: skip then. One that is there but does not
// work fails the test. `options` are those of whoever asks first.
TestControlPlane* SharedControlPlane(std::string* why_not,
                                     const TestControlPlane::Options& options = {});

}  // namespace hearth::kube
