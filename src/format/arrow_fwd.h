#pragma once

// The names of Arrow that public headers use. Arrow's own forward header costs a second a file and
// its include path in every module.
//
// Thread rule: declarations only.
//
//   std::shared_ptr<arrow::RecordBatch> rows;
namespace arrow {

class Array;
class DataType;
class RecordBatch;
class Schema;

}  // namespace arrow
