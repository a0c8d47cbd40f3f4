#pragma once

#include <string>

#include "snapshot/images/decode.h"
#include "snapshot/images/wire/images.pb.h"

// Numbers of the kernel as people say them.
namespace hearth::snapshot::images {

InetSocket DescribeInet(const wire::InetSocket& socket);
UnixSocket DescribeUnix(const wire::UnixSocket& socket);
std::string MountTypeName(const wire::Mount& mount);

}  // namespace hearth::snapshot::images
