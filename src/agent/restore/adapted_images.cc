#include "agent/restore/adapted_images.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <set>
#include <utility>

#include "snapshot/images/image_folder.h"

namespace hearth::agent {
namespace {

using snapshot::images::AdaptedFiles;
using snapshot::images::ImageFolder;

constexpr const char* kFiles = "files.img";
// Of which each is one that the images have already.
constexpr int kMostTries = 1000;

// Where IPv6 is switched off, IPv4 is all there is.
Result<UniqueFd> BindAnywhere(int family) {
  UniqueFd fd(::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int yes = 1;
  const int no = 0;
  sockaddr_in6 any{};
  any.sin6_family = static_cast<sa_family_t>(family);
  if (!fd.valid() || ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) != 0 ||
      (family == AF_INET6 &&
       ::setsockopt(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof(no)) != 0) ||
      ::bind(fd.get(), reinterpret_cast<const sockaddr*>(&any),
             family == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in)) != 0) {
    return errno == EADDRINUSE ? ExhaustedError("the pod has no TCP port left")
                               : Status::FromErrno(errno, "reserve a TCP port");
  }
  return fd;
}

// Those that the images have are kept until another one is found, so that it is another one.
Result<ReservedPort> ReserveBut(const std::set<uint16_t>& taken) {
  std::vector<ReservedPort> refused;
  for (int i = 0; i < kMostTries; ++i) {
    ASSIGN_OR_RETURN(ReservedPort port, ReservePort());
    if (taken.count(port.number) == 0) {
      return port;
    }
    refused.push_back(std::move(port));
  }
  return ExhaustedError("every TCP port that the pod has left is used in the images");
}

Result<AdaptedFiles> Adapt(const UniqueFd& artifact, const RestorePlan& plan,
                           uint64_t mount_namespace, std::vector<UniqueFd>& ports) {
  UniqueFd directory(::fcntl(artifact.get(), F_DUPFD_CLOEXEC, 0));
  if (!directory.valid()) {
    return Status::FromErrno(errno, "the artifact");
  }
  const auto image = ImageFolder::At(std::move(directory)).Read(kFiles);
  if (!image.ok()) {
    // Of artifacts with digests that is seen when they are opened.
    return image.status().Is(Code::kNotFound)
               ? DataLossError("it is not in the artifact, which is not whole")
               : image.status();
  }
  return snapshot::images::AdaptFiles(
      *image, {.source_ips = plan.source_ips,
               .target_ips = plan.target_ips,
               .connections = plan.connections,
               .mount_namespace = mount_namespace,
               .reserve_port = [&](const std::set<uint16_t>& taken) -> Result<uint16_t> {
                 ASSIGN_OR_RETURN(ReservedPort port, ReserveBut(taken));
                 ports.push_back(std::move(port.holder));
                 return port.number;
               }});
}

}  // namespace

std::vector<std::string> PeersOf(const std::vector<snapshot::images::DroppedConnection>& dropped) {
  constexpr size_t kMost = 64;
  std::set<std::string> peers;
  for (const auto& connection : dropped) {
    if (peers.size() < kMost) {
      peers.insert(connection.peer);
    }
  }
  return {peers.begin(), peers.end()};
}

Result<ReservedPort> ReservePort() {
  auto bound = BindAnywhere(AF_INET6);
  if (!bound.ok() && bound.status().code() != Code::kExhausted) {
    bound = BindAnywhere(AF_INET);
  }
  RETURN_IF_ERROR(bound.status());
  sockaddr_in6 name{};  // the port is where sockaddr_in has it
  socklen_t size = sizeof(name);
  if (::getsockname(bound->get(), reinterpret_cast<sockaddr*>(&name), &size) != 0) {
    return Status::FromErrno(errno, "the number of a reserved port");
  }
  return ReservedPort{ntohs(name.sin6_port), *std::move(bound)};
}

Result<AdaptedImages> AdaptedImages::Show(const UniqueFd& artifact, const std::string& place,
                                          const RestorePlan& plan, uint64_t mount_namespace) {
  std::vector<UniqueFd> ports;
  auto adapted = Adapt(artifact, plan, mount_namespace, ports);
  if (!adapted.ok()) {
    return adapted.status().WithContext(kFiles);
  }
  UniqueFd files;
  if (adapted->image) {
    ASSIGN_OR_RETURN(files, MakeUnlistedFile(*adapted->image, place));
  }
  ASSIGN_OR_RETURN(ShownDirectory shown, ShownDirectory::Show(artifact, place));
  return AdaptedImages(std::move(ports), std::move(adapted->dropped), std::move(files),
                       std::move(shown));
}

Status AdaptedImages::ShowAdapted() {
  if (adapted_.valid()) {
    ASSIGN_OR_RETURN(ShownFile over, ShownFile::Show(adapted_, place() + "/" + kFiles));
    files_.emplace(std::move(over));
  }
  return Status::Ok();
}

}  // namespace hearth::agent
