#include "snapshot/ctl/internal/secret_exposure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hearth::snapshot::ctl {
namespace {

using Kind = Exposure::Kind;

TEST(SecretExposure, PathsAreKnownByWhereSecretsLie) {
  for (const char* const path :
       {"/var/run/secrets/kubernetes.io/serviceaccount", "/run/secrets/x/token", "/root/.ssh/id",
        "/etc/tls/server.key", "/home/u/.kube/config", "/app/client.pem"}) {
    EXPECT_TRUE(LooksLikeSecretPath(path)) << path;
  }
  for (const char* const path : {"/app/engine", "/etc/ssl/certs/root.pem", "/models/tokenizer.json",
                                 "/usr/lib/python3/certifi/cacert.pem", ""}) {
    EXPECT_FALSE(LooksLikeSecretPath(path)) << path;
  }
}

// S8: what of the source's environment goes with the artifact is told.
TEST(SecretExposure, EveryPlaceIsLookedAtAndToldOnce) {
  images::Captured captured;
  captured.files[1].path = "/run/secrets/token";
  captured.files[2].path = "/app/engine";
  captured.processes.resize(1);
  images::CapturedProcess& process = captured.processes[0];
  process.pid = 7;
  process.environment_names = {"PATH", "HF_TOKEN"};
  process.descriptors = {{.fd = 3, .file = 1}, {.fd = 4, .file = 1}, {.fd = 5, .file = 2}};
  process.mappings = {{.object = 1, .kind = images::MappingKind::kFile},
                      {.object = 1, .kind = images::MappingKind::kShared}};
  captured.mounts = {{.mount_point = "/run/secrets"}, {.mount_point = "/"}};
  EXPECT_THAT(FindExposures(captured),
              testing::ElementsAre(Exposure{Kind::kEnvironment, 7, "HF_TOKEN"},
                                   Exposure{Kind::kOpenFile, 7, "/run/secrets/token"},
                                   Exposure{Kind::kMappedFile, 7, "/run/secrets/token"},
                                   Exposure{Kind::kMount, 0, "/run/secrets"}));
}

}  // namespace
}  // namespace hearth::snapshot::ctl
