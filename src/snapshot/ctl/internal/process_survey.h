#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "agent/host/process_facts.h"
#include "base/file_system.h"
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

// How often the socket tables are read before a socket counts as being in none of them.
inline constexpr int kMostTableReads = 5;

// Only reads; the tables in /proc/PID/net with `files`. kNotFound: the process is gone.
//
// The processes run on meanwhile, so a descriptor and the tables can disagree: a socket may be
// closed after its descriptor was listed, and the kernel may skip an entry of a table that changes
// between two read() calls. Therefore a socket that is in no table is left out if its descriptor no
// longer leads to it, and otherwise the tables are read again, at most kMostTableReads times. A
// socket that is in `processes` and not in `sockets` was open after the last of those reads.
Result<Survey> SurveyProcesses(FileSystem& files, const std::string& proc, int pid);

// The inode of a descriptor's target "socket:[88]": "88"; empty when it is no socket.
std::string SocketInode(std::string_view target);

}  // namespace hearth::snapshot::ctl
