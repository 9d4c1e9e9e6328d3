#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/result.h"
#include "format/arrow_fwd.h"
#include "format/arrow_message.h"
#include "format/byte_writer.h"
#include "table/table_choices.h"

namespace arrow {
class Buffer;
namespace util {
class Codec;
}
}  // namespace arrow

// Columns as the encapsulated message of an ARROW batch. Arrow's library lays out the body;
// compression is done here, because a changelog often has few rows, and a buffer of a few bytes
// costs more to compress than it can save: those are stored as they are.
//
// Thread rule: belongs to one thread.
//
//   ASSIGN_OR_RETURN(ArrowMessageWriter message, ArrowMessageWriter::make(rows, compression, 3));
//   message.write(batch.data() + position);  // message.size() bytes
namespace lakestream {

class ArrowMessageWriter {
 public:
  // Errors: kInvalidConfigException for a level that does not exist.
  static Result<ArrowMessageWriter> make(const arrow::RecordBatch& rows,
                                         ArrowCompression compression,
                                         int32_t zstd_level);

  size_t size() const { return metadata_.size() + body_size_; }
  // Requires: size() bytes at `target`.
  void write(uint8_t* target) const;

 private:
  // The content of a buffer in the body: perhaps the length before compression, then bytes.
  struct Part {
    std::shared_ptr<arrow::Buffer> raw;  // nullptr when it was compressed
    size_t compressed_at = 0;            // in compressed_
    size_t size = 0;
    bool has_prefix = false;
    int64_t prefix = 0;
  };
  ArrowMessageWriter() = default;
  Status add(std::shared_ptr<arrow::Buffer> buffer, arrow::util::Codec* codec);

  int64_t rows_ = 0;
  ArrowCodec codec_ = ArrowCodec::kNone;
  std::vector<uint8_t> nodes_;  // as in the message
  std::vector<Part> parts_;
  std::vector<ArrowBuffer> buffers_;
  ByteWriter compressed_;
  size_t body_size_ = 0;
  ArrowMetadataTemplate metadata_;
};

}  // namespace lakestream
