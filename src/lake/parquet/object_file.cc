#include "lake/parquet/object_file.h"

#include <algorithm>
#include <cstring>

#include <arrow/buffer.h>

#include "format/arrow_buffer.h"

namespace lakestream {

ObjectFile::ObjectFile(ObjectStore& objects, std::string path, uint64_t size)
    : objects_(objects), path_(std::move(path)), size_(static_cast<int64_t>(size)) {}

ObjectFile::~ObjectFile() = default;

Result<Bytes> ObjectFile::read_object(int64_t position, int64_t count) {
  ASSIGN_OR_RETURN(
      std::optional<Bytes> bytes,
      objects_.get_range(path_, static_cast<uint64_t>(position), static_cast<uint64_t>(count)));
  if (!bytes) return make_error(ErrorCode::kStorageException, "{}: there is no such object", path_);
  if (bytes->size() != static_cast<size_t>(count)) {
    return make_error(ErrorCode::kStorageException,
                      "{}: {} bytes from {} on; {} were asked for, of an object of {}",
                      path_,
                      bytes->size(),
                      position,
                      count,
                      size_);
  }
  return *std::move(bytes);
}

Status ObjectFile::fetch(const std::vector<arrow::io::ReadRange>& ranges) {
  parts_.clear();
  for (const arrow::io::ReadRange& range : ranges) {
    if (range.offset < 0 || range.length < 0 || range.offset > size_ - range.length) {
      return make_error(ErrorCode::kUnknownServerError,
                        "{} bytes from {} on; the object has {}",
                        range.length,
                        range.offset,
                        size_);
    }
    ASSIGN_OR_RETURN(Bytes bytes, read_object(range.offset, range.length));
    parts_.push_back({range.offset, std::move(bytes)});
  }
  return ok();
}

uint64_t ObjectFile::held_bytes() const {
  uint64_t bytes = 0;
  for (const Part& part : parts_) bytes += part.bytes.size();
  return bytes;
}

arrow::Result<Bytes> ObjectFile::bytes_at(int64_t position, int64_t count) {
  if (closed_) return arrow::Status::Invalid("the file is closed");
  if (position < 0 || count < 0) return arrow::Status::Invalid("a read at ", position);
  count = std::min(count, std::max<int64_t>(0, size_ - position));
  if (count == 0) return Bytes();
  for (const Part& part : parts_) {
    auto length = static_cast<int64_t>(part.bytes.size());
    if (position < part.offset || count > length || position - part.offset > length - count) {
      continue;
    }
    return part.bytes.slice(static_cast<size_t>(position - part.offset),
                            static_cast<size_t>(count));
  }
  Result<Bytes> bytes = read_object(position, count);
  if (bytes) return *std::move(bytes);
  error_ = std::move(bytes).error();
  return arrow::Status::IOError(error_->message());
}

arrow::Status ObjectFile::Close() {
  closed_ = true;
  parts_.clear();
  return arrow::Status::OK();
}

arrow::Status ObjectFile::Seek(int64_t position) {
  if (position < 0) return arrow::Status::Invalid("a seek to ", position);
  position_ = position;
  return arrow::Status::OK();
}

arrow::Result<int64_t> ObjectFile::ReadAt(int64_t position, int64_t count, void* out) {
  ARROW_ASSIGN_OR_RAISE(Bytes bytes, bytes_at(position, count));
  if (!bytes.empty()) std::memcpy(out, bytes.data(), bytes.size());
  return static_cast<int64_t>(bytes.size());
}

arrow::Result<std::shared_ptr<arrow::Buffer>> ObjectFile::ReadAt(int64_t position, int64_t count) {
  ARROW_ASSIGN_OR_RAISE(Bytes bytes, bytes_at(position, count));
  return buffer_of(std::move(bytes));
}

arrow::Result<int64_t> ObjectFile::Read(int64_t count, void* out) {
  ARROW_ASSIGN_OR_RAISE(int64_t read, ReadAt(position_, count, out));
  position_ += read;
  return read;
}

arrow::Result<std::shared_ptr<arrow::Buffer>> ObjectFile::Read(int64_t count) {
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> buffer, ReadAt(position_, count));
  position_ += buffer->size();
  return buffer;
}

}  // namespace lakestream
