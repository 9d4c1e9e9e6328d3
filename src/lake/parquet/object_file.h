#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <arrow/io/interfaces.h>
#include <arrow/result.h>

#include "base/bytes.h"
#include "base/result.h"
#include "io/object_store.h"

// An object as a file of Arrow that is read at places. Ranges that will be needed are fetched ahead
// with few calls of the store; what lies in one of them is given out without a copy. Errors of the
// store are kept, because Arrow does not carry their code.
//
// Thread rule: one thread at a time.
//
//   auto file = std::make_shared<ObjectFile>(objects, path, size);
//   RETURN_IF_ERROR(file->fetch({{.offset = 4, .length = 4096}}));
namespace lakestream {

class ObjectFile final : public arrow::io::RandomAccessFile {
 public:
  ObjectFile(ObjectStore& objects, std::string path, uint64_t size);
  ~ObjectFile() override;

  // Replaces what was fetched before. Errors: kStorageException when the store fails or the object
  // is not as long as was said.
  Status fetch(const std::vector<arrow::io::ReadRange>& ranges);
  // Of the last call that failed, if it was the store that failed.
  const std::optional<Error>& error() const { return error_; }
  // Bytes that were fetched and are kept.
  uint64_t held_bytes() const;

  arrow::Status Close() override;
  bool closed() const override { return closed_; }
  arrow::Result<int64_t> Tell() const override { return position_; }
  arrow::Status Seek(int64_t position) override;
  arrow::Result<int64_t> GetSize() override { return size_; }
  arrow::Result<int64_t> Read(int64_t count, void* out) override;
  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(int64_t count) override;
  arrow::Result<int64_t> ReadAt(int64_t position, int64_t count, void* out) override;
  arrow::Result<std::shared_ptr<arrow::Buffer>> ReadAt(int64_t position, int64_t count) override;

 private:
  struct Part {
    int64_t offset;
    Bytes bytes;
  };
  // Shorter where the object ends.
  arrow::Result<Bytes> bytes_at(int64_t position, int64_t count);
  Result<Bytes> read_object(int64_t position, int64_t count);

  ObjectStore& objects_;
  std::string path_;
  int64_t size_;
  int64_t position_ = 0;
  bool closed_ = false;
  std::vector<Part> parts_;
  std::optional<Error> error_;
};

}  // namespace lakestream
