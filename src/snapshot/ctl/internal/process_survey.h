#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "agent/host/process_facts.h"
#include "base/result.h"

namespace hearth::snapshot::ctl {

// A descriptor of a running process.
struct SurveyedDescriptor {
  int fd = 0;
  std::string target;       // "socket:[88]", "anon_inode:[io_uring]", "/tmp/x (deleted)"
  uint64_t size_bytes = 0;  // on disk, of a file
};

struct SurveyedProcess {
  agent::ProcessFacts facts;
  int tracer = 0;  // pid of a debugger; 0: none
  int threads = 0;
  uint64_t private_bytes = 0;  // memory of its own that is there, what children share with it too
  uint64_t shared_bytes = 0;   // its part of what is shared
  uint64_t huge_bytes = 0;     // in huge pages
  std::vector<SurveyedDescriptor> descriptors;
};

struct SurveyedSocket {
  std::string kind;                // "tcp", "tcp6", "udp", "unix", ...
  bool connected_outside = false;  // TCP with a peer that is not this machine's loopback
};

// What a capture would meet, as a proc file system tells it.
struct Survey {
  std::vector<SurveyedProcess> processes;         // the first one first
  std::map<std::string, SurveyedSocket> sockets;  // by inode, of the first one's network
};

// Only reads. kNotFound: the process is gone.
Result<Survey> SurveyProcesses(const std::string& proc, int pid);
// Part of it. Processes run on while they are looked at: a socket that is in no table may have been
// closed before that was read, and is left out if it is gone.
void ForgetClosed(const std::string& proc, Survey& survey);

}  // namespace hearth::snapshot::ctl
