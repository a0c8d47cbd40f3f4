// Runs a command, a shell when none is given, beside a cluster of one real node with simulated
// GPUs:
//   cluster_shell [--devices N] [--image NAME]... [COMMAND...]
// KUBECONFIG is set, and kubectl, hearth and hearth-operator are found; nothing of ours is
// installed. Images of the names that are given hold a shell. Everything goes with the command.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "example_driver.h"
#include "node_cluster.h"
#include "private_machine.h"

namespace hearth::node {
namespace {

struct Wishes {
  int devices = 4;
  std::vector<std::string> images;
  std::vector<char*> command;
};

Wishes Parse(int argc, char** argv) {
  Wishes wishes;
  int at = 1;
  for (; at + 1 < argc; at += 2) {
    const std::string option = argv[at];
    if (option == "--devices") {
      wishes.devices = std::atoi(argv[at + 1]);
    } else if (option == "--image") {
      wishes.images.emplace_back(argv[at + 1]);
    } else {
      break;
    }
  }
  wishes.command.assign(argv + at, argv + argc);
  if (wishes.command.empty()) {
    static char shell[] = "/bin/bash";
    wishes.command.push_back(shell);
  }
  wishes.command.push_back(nullptr);
  return wishes;
}

int Fail(const Status& status) {
  std::fprintf(stderr, "cluster_shell: %s\n", status.ToString().c_str());
  return 1;
}

int Run(const Wishes& wishes) {
  auto cluster = NodeCluster::Start();
  if (!cluster.ok()) {
    return Fail(cluster.status());
  }
  auto driver = ExampleDriver::Start((*cluster)->plane(), (*cluster)->node(), wishes.devices);
  if (!driver.ok()) {
    return Fail(driver.status());
  }
  for (const std::string& image : wishes.images) {
    const Status loaded = (*cluster)->node().LoadShellImage(image);
    if (!loaded.ok()) {
      return Fail(loaded);
    }
  }
  for (const auto& [name, value] : (*cluster)->Environment()) {
    ::setenv(name.c_str(), value.c_str(), 1);
  }
  const pid_t child = ::fork();
  if (child == 0) {
    ::execvp(wishes.command[0], wishes.command.data());
    std::perror(wishes.command[0]);
    ::_exit(127);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

}  // namespace
}  // namespace hearth::node

int main(int argc, char** argv) {
  const auto wishes = hearth::node::Parse(argc, argv);
  return hearth::node::InPrivateMachine([&] { return hearth::node::Run(wishes); });
}
