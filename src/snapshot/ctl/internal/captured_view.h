#pragma once

#include <string>

#include "json/value.h"
#include "snapshot/images/captured.h"

// What was captured, for people and for machines. Pure.
namespace hearth::snapshot::ctl {

// One line for each process, children below and to the right of their parents.
std::string ProcessTree(const images::Captured& captured);
// How much of what there is, by process and kind.
std::string MappingTable(const images::Captured& captured);
// Empty when there are none.
std::string SocketTable(const images::Captured& captured);
std::string MountTable(const images::Captured& captured);
// What is open and no socket, by process.
std::string FileTable(const images::Captured& captured);
// One line each; a sentence when nothing was found.
std::string ExposureReport(const images::Captured& captured);

json::Value CapturedJson(const images::Captured& captured);

}  // namespace hearth::snapshot::ctl
