#pragma once

// The words of tables, all at once: types, schemas, descriptors and names. Options are in
// options.h, JSON in json.h, partitions in partition.h, the rules of CREATE TABLE in validate.h and
// the statements of SQL in ddl.h.
//
// Thread rule: values, any thread.
//
//   Schema schema;
//   TablePath path{"fluss", "orders"};
#include "table/descriptor.h"
#include "table/path.h"
#include "table/schema.h"
#include "table/types.h"
