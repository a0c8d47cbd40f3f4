#include "agent/files/save_files.h"

#include <unistd.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "agent/files/internal/archive_builder.h"
#include "agent/files/internal/tar_output.h"
#include "agent/files/internal/upper_saver.h"
#include "agent/files/path_list.h"

namespace hearth::agent {
namespace {

using files::TarOutput;

Status WriteList(int images, const char* name, std::vector<std::string> paths) {
  if (paths.empty()) {
    return Status::Ok();
  }
  std::sort(paths.begin(), paths.end());
  ASSIGN_OR_RETURN(const std::unique_ptr<TarOutput> output, TarOutput::Create(images, name));
  RETURN_IF_ERROR(output->Append(WritePathList(paths)));
  return output->Finish().WithContext(name);
}

Result<FilesReport> Save(int upper, int images, TarOutput& output, const LeftOut& left_out,
                         const WaitLimit& limit) {
  files::ArchiveBuilder archive(output);
  RETURN_IF_ERROR(files::SaveUpper(upper, left_out, archive, limit));
  ASSIGN_OR_RETURN(const files::ArchiveBuilder::Contents contents,
                   archive.Finish().WithContext(kArchiveName));
  RETURN_IF_ERROR(WriteList(images, kDeletedName, contents.deleted));
  RETURN_IF_ERROR(WriteList(images, kOpaqueName, contents.opaque));
  return FilesReport{.files = contents.files,
                     .bytes = contents.bytes,
                     .deleted = contents.deleted.size(),
                     .opaque = contents.opaque.size(),
                     .sockets = contents.sockets};
}

}  // namespace

Result<FilesReport> SaveFiles(int upper, int images, const LeftOut& left_out,
                              const WaitLimit& limit) {
  ASSIGN_OR_RETURN(const std::unique_ptr<TarOutput> output,
                   TarOutput::Create(images, kArchiveName));
  auto report = Save(upper, images, *output, left_out, limit);
  if (!report.ok()) {
    for (const char* name : {kArchiveName, kDeletedName, kOpaqueName}) {
      (void)::unlinkat(images, name, 0);
    }
  }
  return std::move(report).WithContext("saving the container's files");
}

}  // namespace hearth::agent
