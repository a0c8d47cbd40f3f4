#pragma once

#include <string>

#include "gms/protocol/messages.h"
#include "json/value.h"

// A server's status for people and for machines. Pure.
namespace hearth::gms::ctl {

// "gms-server 0.1.0, pid 12, up 3m12s"
std::string ServerLine(const StatusResponse& status);
std::string DeviceTable(const StatusResponse& status);
// OTHERS is memory of generations beside the one that is shown: superseded ones that somebody still
// reads, and what is kept while a writer builds.
std::string PoolTable(const StatusResponse& status);
// Who holds what and who waits; one line saying so when nobody does.
std::string SessionTable(const StatusResponse& status);

json::Value StatusJson(const StatusResponse& status);
// The sessions alone, each with its device and domain.
json::Value SessionsJson(const StatusResponse& status);

}  // namespace hearth::gms::ctl
