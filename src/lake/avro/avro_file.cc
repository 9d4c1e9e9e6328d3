#include "lake/avro/avro_file.h"

#include <utility>

#include "lake/avro/avro_encode.h"

namespace lakestream::avro {
namespace {

constexpr std::string_view kMagic("Obj\x01", 4);
constexpr std::string_view kSchemaKey = "avro.schema";
constexpr std::string_view kCodecKey = "avro.codec";
constexpr size_t kSyncBytes = 16;

tl::unexpected<Error> damaged(std::string_view rule) {
  return make_error(ErrorCode::kUnknownServerError, "avro file: {}", rule);
}

std::string_view view_of(const std::array<uint8_t, kSyncBytes>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// A type that fields of a header are read as: a map of bytes.
const AvroType& bytes_type() {
  static const AvroType type{.kind = AvroKind::kBytes};
  return type;
}

const AvroType& metadata_type() {
  static const AvroType type{.kind = AvroKind::kMap, .parts = {&bytes_type()}};
  return type;
}

}  // namespace

AvroWriter::AvroWriter(AvroSchema schema, AvroWriterOptions options)
    : schema_(std::move(schema)), options_(std::move(options)) {
  AvroMetadata metadata = options_.metadata;
  metadata[std::string(kSchemaKey)] = schema_.text();
  metadata[std::string(kCodecKey)] = std::string(name_of(options_.codec));
  out_.put_bytes(kMagic);
  put_long(static_cast<int64_t>(metadata.size()), &out_);
  for (const auto& [key, value] : metadata) {
    put_bytes(key, &out_);
    put_bytes(value, &out_);
  }
  put_long(0, &out_);
  out_.put_bytes(view_of(options_.sync));
}

Status AvroWriter::append(const AvroValue& value) {
  RETURN_IF_ERROR(encode(schema_.root(), value, &block_));
  ++block_records_;
  return block_.size() < options_.block_bytes ? ok() : flush();
}

Status AvroWriter::flush() {
  if (block_records_ == 0) return ok();
  ASSIGN_OR_RETURN(Bytes packed, compress(options_.codec, block_.span()));
  put_long(block_records_, &out_);
  put_bytes(packed.view(), &out_);
  out_.put_bytes(view_of(options_.sync));
  block_.clear();
  block_records_ = 0;
  return ok();
}

Result<Bytes> AvroWriter::finish() && {
  RETURN_IF_ERROR(flush());
  return std::move(out_).finish();
}

Result<AvroReader> AvroReader::open(std::string_view bytes) {
  if (!bytes.starts_with(kMagic)) return damaged("it does not begin as one");
  AvroInput in(bytes.substr(kMagic.size()));
  ASSIGN_OR_RETURN(AvroValue header, in.value(metadata_type()));
  AvroMetadata metadata;
  for (size_t i = 0; i < header.items().size(); i += 2) {
    metadata[std::string(header.items()[i].as_bytes())] = header.items()[i + 1].as_bytes();
  }
  auto text = metadata.find(kSchemaKey);
  if (text == metadata.end()) return damaged("its header has no schema");
  ASSIGN_OR_RETURN(AvroSchema schema, AvroSchema::parse(text->second));

  auto codec = metadata.find(kCodecKey);
  std::string_view codec_name = "null";
  if (codec != metadata.end()) codec_name = codec->second;
  std::optional<AvroCodec> known = codec_of(codec_name);
  if (!known) {
    return make_error(
        ErrorCode::kUnknownServerError, "avro file: the codec '{}' is not known", codec_name);
  }
  AvroReader reader(std::move(schema), std::move(metadata));
  reader.codec_ = *known;
  ASSIGN_OR_RETURN(reader.sync_, in.fixed_value(kSyncBytes));
  reader.blocks_ = in.rest();
  return reader;
}

Status AvroReader::each(const std::function<Status(const AvroValue&)>& take) const {
  AvroInput in(blocks_);
  while (!in.rest().empty()) {
    ASSIGN_OR_RETURN(int64_t count, in.long_value());
    ASSIGN_OR_RETURN(std::string_view packed, in.bytes_value());
    ASSIGN_OR_RETURN(std::string_view sync, in.fixed_value(kSyncBytes));
    if (sync != sync_) return damaged("a block does not end with the marker of the file");
    ASSIGN_OR_RETURN(
        Bytes block,
        decompress(codec_, {reinterpret_cast<const uint8_t*>(packed.data()), packed.size()}));
    // Records without bytes could be there any number of times.
    if (count < 0 || static_cast<uint64_t>(count) > block.size()) {
      return damaged("a block is too short for its records");
    }
    AvroInput records(block.view());
    for (int64_t i = 0; i < count; ++i) {
      ASSIGN_OR_RETURN(AvroValue record, records.value(schema_.root()));
      RETURN_IF_ERROR(take(record));
    }
    if (!records.rest().empty()) return damaged("bytes are left at the end of a block");
  }
  return ok();
}

}  // namespace lakestream::avro
