#pragma once

#include <memory>
#include <utility>

#include <arrow/buffer.h>

#include "base/bytes.h"

// Lends Bytes to Arrow without a copy; the buffer keeps their owner alive.
//
// Thread rule: pure functions.
//
//   std::shared_ptr<arrow::Buffer> buffer = buffer_of(bytes);
namespace lakestream {

class BytesBuffer final : public arrow::Buffer {
 public:
  explicit BytesBuffer(Bytes bytes)
      : arrow::Buffer(bytes.data(), static_cast<int64_t>(bytes.size())), bytes_(std::move(bytes)) {}

 private:
  Bytes bytes_;
};

inline std::shared_ptr<arrow::Buffer> buffer_of(Bytes bytes) {
  return std::make_shared<BytesBuffer>(std::move(bytes));
}

}  // namespace lakestream
