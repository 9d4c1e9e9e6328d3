#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"
#include "format/byte_writer.h"
#include "lake/avro/avro_codec.h"
#include "lake/avro/avro_schema.h"
#include "lake/avro/avro_value.h"

// Avro object container files: a header with the schema and further metadata, then compressed
// blocks of records. Codecs: null, deflate, zstandard. A reader shows the records under the schema
// of the writer; fields are asked for by name. It trusts nothing: whatever the bytes, it ends with
// an error or gives values inside them.
//
// Thread rule: a writer belongs to one thread at a time; a reader is immutable, any thread.
//
//   AvroWriter writer(schema, {.metadata = {{"format-version", "2"}}, .sync = names.bytes()});
//   RETURN_IF_ERROR(writer.append(record));
//   ASSIGN_OR_RETURN(Bytes file, std::move(writer).finish());
//   ASSIGN_OR_RETURN(AvroReader reader, AvroReader::open(file.view()));
//   RETURN_IF_ERROR(reader.each([](const AvroValue& record) { return take(record); }));
namespace lakestream::avro {

using AvroMetadata = std::map<std::string, std::string, std::less<>>;

struct AvroWriterOptions {
  AvroCodec codec = AvroCodec::kZstandard;
  AvroMetadata metadata = {};         // beside "avro.schema" and "avro.codec"
  std::array<uint8_t, 16> sync = {};  // between blocks; not to be found in other files
  size_t block_bytes = 64 << 10;      // before compression; a block ends behind the record
};

class AvroWriter {
 public:
  AvroWriter(AvroSchema schema, AvroWriterOptions options);

  // kUnknownServerError when the value does not fit the schema; then the file is lost.
  Status append(const AvroValue& value);
  Result<Bytes> finish() &&;
  // Of what has been compressed so far.
  size_t size() const { return out_.size(); }

 private:
  Status flush();

  AvroSchema schema_;
  AvroWriterOptions options_;
  ByteWriter out_;
  ByteWriter block_;
  int64_t block_records_ = 0;
};

class AvroReader {
 public:
  // Reads the header. The bytes have to live as long as the reader.
  static Result<AvroReader> open(std::string_view bytes);

  const AvroSchema& schema() const { return schema_; }
  const AvroMetadata& metadata() const { return metadata_; }
  // Every record in order, until `take` gives an error. The value lives until `take` returns.
  Status each(const std::function<Status(const AvroValue&)>& take) const;

 private:
  AvroReader(AvroSchema schema, AvroMetadata metadata)
      : schema_(std::move(schema)), metadata_(std::move(metadata)) {}

  AvroSchema schema_;
  AvroMetadata metadata_;
  AvroCodec codec_ = AvroCodec::kNull;
  std::string_view sync_;
  std::string_view blocks_;
};

}  // namespace lakestream::avro
