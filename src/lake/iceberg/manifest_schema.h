#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "lake/avro/avro_schema.h"
#include "lake/iceberg/partition_spec.h"

// The Avro schemas of manifests and manifest lists, with the ids of the Iceberg specification.
//
// Thread rule: pure functions.
//
//   ASSIGN_OR_RETURN(avro::AvroSchema schema, manifest_entry_schema(spec));
namespace lakestream::iceberg {

// The record of the partition has the fields of the spec.
Result<avro::AvroSchema> manifest_entry_schema(const IcebergPartitionSpec& spec);
const avro::AvroSchema& manifest_list_schema();

// A name as Avro takes it.
std::string avro_name_of(std::string_view name);

}  // namespace lakestream::iceberg
