#include "io/disk.h"

namespace lakestream {
namespace {

std::string parent_of(const std::string& path) {
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

}  // namespace

Result<Bytes> read_file(Disk& disk, const std::string& path) {
  ASSIGN_OR_RETURN(std::unique_ptr<File> file, disk.open(path, OpenMode::kRead));
  ASSIGN_OR_RETURN(uint64_t size, file->size());
  MutableBytes content = MutableBytes::allocate(size);
  ASSIGN_OR_RETURN(size_t count, file->read_at(0, content.span()));
  content.shrink(count);
  return std::move(content).freeze();
}

Status write_file_atomically(Disk& disk, const std::string& path, const Bytes& content) {
  std::string temporary = path + ".tmp";
  {
    ASSIGN_OR_RETURN(std::unique_ptr<File> file, disk.open(temporary, OpenMode::kCreate));
    RETURN_IF_ERROR(file->truncate(0));
    RETURN_IF_ERROR(file->write_at(0, {&content, 1}));
    RETURN_IF_ERROR(file->sync());
  }
  RETURN_IF_ERROR(disk.rename(temporary, path));
  return disk.sync_directory(parent_of(path));
}

bool is_disk_full(const Error& error) {
  return error.message().find(kDiskFullMark) != std::string::npos;
}

}  // namespace lakestream
