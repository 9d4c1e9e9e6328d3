#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"

// The compression of the blocks of an Avro file.
//
// Thread rule: pure functions.
//
//   ASSIGN_OR_RETURN(Bytes packed, compress(AvroCodec::kZstandard, block));
//   ASSIGN_OR_RETURN(Bytes block, decompress(AvroCodec::kZstandard, packed.span()));
namespace lakestream::avro {

enum class AvroCodec : uint8_t { kNull, kDeflate, kZstandard };

// "null", "deflate", "zstandard"
std::string_view name_of(AvroCodec codec);
std::optional<AvroCodec> codec_of(std::string_view name);

// Of a block; a file of more is damaged.
inline constexpr size_t kMaxAvroBlockBytes = 256 << 20;

// kUnknownServerError when the library refuses.
Result<Bytes> compress(AvroCodec codec, std::span<const uint8_t> bytes);
// kUnknownServerError when the bytes are damaged or become more than kMaxAvroBlockBytes.
Result<Bytes> decompress(AvroCodec codec, std::span<const uint8_t> bytes);

}  // namespace lakestream::avro
