// cuda-checkpoint without a GPU. It keeps the state of each process in a file of a directory, named
// by SIMULATED_CUDA, and refuses what the driver would refuse:
//
//   process.PID   its state; a process without one does not use CUDA
//   devices.PID   the device map of its last restore
//   log           what was asked, one line each: "lock 12", "--get-state 12"
//   fail          such lines, which then fail; with a state behind, which the process then has
//   hang          such lines, which then never end
//   hold          such lines, which wait until whoever opens the fifo "gate" closes it again
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <string>
#include <string_view>

namespace {

struct Order {
  std::string what;  // an action, or the option of a question
  std::string pid;
  std::string timeout;
  std::string device_map;
  std::string job_file;
};

int Refuse(std::string_view why) {
  std::cerr << "cuda-checkpoint: " << why << '\n';
  return 1;
}

bool ParseOrder(int argc, char** argv, Order& order) {
  const std::map<std::string_view, std::string*> options = {
      {"--action", &order.what}, {"--pid", &order.pid},
      {"-p", &order.pid},        {"--timeout", &order.timeout},
      {"-t", &order.timeout},    {"--device-map", &order.device_map},
      {"-d", &order.device_map}, {"--job-file", &order.job_file}};
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    const auto option = options.find(word);
    if (word == "--get-state" || word == "--get-restore-tid") {
      order.what = word;
    } else if (option == options.end() || ++i == argc) {
      return false;
    } else {
      *option->second = argv[i];
    }
  }
  return !order.what.empty() && !order.pid.empty();
}

std::string ReadLine(const std::string& path) {
  std::string line;
  std::ifstream file(path);
  std::getline(file, line);
  return line;
}

// The rest of the line behind `key`, when a file has it; nothing otherwise.
bool Listed(const std::string& path, const std::string& key, std::string& rest) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line == key || line.starts_with(key + " ")) {
      rest = line.substr(key.size());
      return true;
    }
  }
  return false;
}

void AppendLine(const std::string& path, const std::string& line) {
  std::ofstream(path, std::ios::app) << line + "\n" << std::flush;
}

// What each action needs and what it leaves.
const std::map<std::string_view, std::pair<std::string_view, std::string_view>> kActions = {
    {"lock", {"running", "locked"}},
    {"checkpoint", {"locked", "checkpointed"}},
    {"restore", {"checkpointed", "locked"}},
    {"unlock", {"locked", "running"}}};

int Act(const Order& order, const std::string& directory, const std::string& state) {
  const auto action = kActions.find(order.what);
  if (action == kActions.end()) {
    return Refuse("no such action");
  }
  if (state != action->second.first) {
    return Refuse("process is " + state + ", not " + std::string(action->second.first));
  }
  if ((order.what == "lock") == order.timeout.empty() ||
      (order.what != "restore" && !order.device_map.empty())) {
    return Refuse("an option that does not belong to the action, or is missing");
  }
  if (order.what == "restore") {
    std::ofstream(directory + "/devices." + order.pid) << order.device_map;
  }
  if (!order.job_file.empty()) {
    const char* const variable = std::getenv("CUDA_CHECKPOINT_JOB_FILE");
    if (variable == nullptr || order.job_file != variable) {
      return Refuse("the job file is not in the environment");
    }
    AppendLine(order.job_file, order.what + " " + order.pid);
  }
  std::ofstream(directory + "/process." + order.pid) << action->second.second;
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const char* const place = std::getenv("SIMULATED_CUDA");
  Order order;
  if (place == nullptr || !ParseOrder(argc, argv, order)) {
    return Refuse("usage: --get-state|--get-restore-tid|--action ACTION --pid PID ...");
  }
  const std::string directory = place;
  const std::string key = order.what + " " + order.pid;
  AppendLine(directory + "/log", key);
  std::string rest;
  if (Listed(directory + "/hang", key, rest)) {
    std::ofstream(directory + "/hanging") << ::getpid();
    while (true) {
      ::pause();
    }
  }
  if (Listed(directory + "/hold", key, rest)) {
    static_cast<void>(ReadLine(directory + "/gate"));
  }
  const std::string state = ReadLine(directory + "/process." + order.pid);
  if (state.empty()) {
    return Refuse("the process does not use CUDA");
  }
  if (Listed(directory + "/fail", key, rest)) {
    if (!rest.empty()) {
      std::ofstream(directory + "/process." + order.pid) << rest.substr(1);
    }
    return Refuse("told to fail");
  }
  if (order.what == "--get-state") {
    std::cout << state << '\n';
    return 0;
  }
  if (order.what == "--get-restore-tid") {
    std::cout << order.pid << '\n';
    return 0;
  }
  return Act(order, directory, state);
}
