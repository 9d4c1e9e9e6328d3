#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include <arrow/c/abi.h>

#include "base/result.h"

// The C interface of DuckDB 2.0, as far as it is called here: handles, codes and functions of its
// "v2" part. The library is opened on the first use, so that a process without SQL does not pay for
// it; it lies in lib/ beside the program. Much of this part may change with the next version of
// DuckDB, so exactly one version is taken.
//
// Every function gives a code, 0 for success, and takes the place for an error last; call() makes a
// Status of both. Handles that a function gives are destroyed by the function of their name, unless
// their comment says borrowed.
//
// Thread rule: immutable, any thread; handles as DuckDB says.
//
//   ASSIGN_OR_RETURN(duck::Api api, duck::load());
//   duck::Owned<duck::Environment> environment(&duck::Api::environment_destroy);
//   RETURN_IF_ERROR(duck::call(&duck::Api::environment_create, environment.out()));
namespace lakestream::query::duck {

using Code = int32_t;
inline constexpr Code kNone = 0;
inline constexpr Code kQueryBinder = 5003;
inline constexpr Code kCatalog = 6001;
inline constexpr Code kInterrupted = 8003;

// ---- handles

using Environment = struct EnvironmentTag*;
using Instance = struct InstanceTag*;
using Connection = struct ConnectionTag*;
using Config = struct ConfigTag*;    // borrowed
using Factory = struct FactoryTag*;  // borrowed
using Context = struct ContextTag*;  // borrowed, a connection seen from a callback
using ErrorInfo = struct ErrorInfoTag*;
using Iterator = struct IteratorTag*;
using Statement = struct StatementTag*;
using ArrowAnswer = struct ArrowAnswerTag*;
using Importer = struct ImporterTag*;
using Columns = struct ColumnsTag*;
using Chunk = struct ChunkTag*;
using Vector = struct VectorTag*;  // borrowed from its chunk
using LogicalType = struct LogicalTypeTag*;
using Value = struct ValueTag*;
using Expression = struct ExpressionTag*;  // borrowed
using Name = struct NameTag*;
using Signature = struct SignatureTag*;  // borrowed
using TableFunction = struct TableFunctionTag*;
using ReplacementScan = struct ReplacementScanTag*;
// What callbacks are given; all borrowed.
using BindInfo = struct BindInfoTag*;
using TableBindInfo = struct TableBindInfoTag*;
using GlobalInfo = struct GlobalInfoTag*;
using LocalInfo = struct LocalInfoTag*;
using ExecInfo = struct ExecInfoTag*;
using FilterInfo = struct FilterInfoTag*;
using ProgressInfo = struct ProgressInfoTag*;
using ReplacementInfo = struct ReplacementInfoTag*;

// ---- structures

struct Text {
  const char* data;
  uint64_t size;
};
struct Opaque {
  void* data;
  void (*destroy)(void*);
  bool (*equals)(void*, void*);
};
struct HugeInt {
  uint64_t lower;
  int64_t upper;
};

// ---- codes

enum class TypeId : int32_t {
  kBoolean = 10,
  kTinyint = 11,
  kSmallint = 12,
  kInteger = 13,
  kBigint = 14,
  kDate = 15,
  kTime = 16,
  kTimestamp = 19,
  kTimestampNs = 20,
  kDecimal = 21,
  kFloat = 22,
  kDouble = 23,
  kVarchar = 25,
  kBlob = 26,
  kTimestampTz = 32,
  kTimestampTzNs = 33,
};
enum class ExpressionType : int32_t {
  kNot = 13,
  kIsNull = 14,
  kIsNotNull = 15,
  kEqual = 25,
  kNotEqual = 26,
  kLess = 27,
  kGreater = 28,
  kLessOrEqual = 29,
  kGreaterOrEqual = 30,
  kIn = 35,
  kBetween = 38,  // value, lower and upper bound; whether the bounds belong to it is not told
  kAnd = 50,
  kOr = 51,
  kConstant = 75,
  kFunction = 141,
  kColumn = 228,
};
enum class StatementType : int32_t { kSelect = 1, kInsert = 2, kUpdate = 3, kDelete = 5 };
enum class ResultType : int32_t { kRows = 0, kChangedRows = 1, kNothing = 2 };
enum class ParameterKind : int32_t { kPositionalOnly = 0 };

// ---- callbacks of a table function and of a replacement scan

using BindCallback = void (*)(BindInfo, TableBindInfo, Context, ErrorInfo*);
using GlobalCallback = void (*)(GlobalInfo, Context, ErrorInfo*);
using LocalCallback = void (*)(LocalInfo, Context, ErrorInfo*);
using ExecCallback = void (*)(ExecInfo, Context, ErrorInfo*);
using FilterCallback = void (*)(FilterInfo, Context, ErrorInfo*);
using ProgressCallback = void (*)(ProgressInfo, Context, ErrorInfo*);
using ReplacementCallback = void (*)(ReplacementInfo, Context, ErrorInfo*);

// ---- functions: CALL(name, parameters before the error)

// clang-format off
#define LAKESTREAM_DUCKDB_CALLS(CALL)                                                       \
  CALL(library_version, Text*)                                                              \
  CALL(environment_create, Environment*)                                                    \
  CALL(instance_create_with_options, Environment, const Text*, const Text*, uint64_t, Instance*) \
  CALL(instance_attach, Instance, const Text*, const Text*, void*, bool)                    \
  CALL(connection_create, Instance, Connection*)                                            \
  CALL(connection_interrupt, Connection)                                                    \
  CALL(connection_progress_get, Connection, double*, uint64_t*, uint64_t*)                  \
  CALL(connection_get_factory, Connection, Factory*)                                        \
  CALL(connection_register_table_function, Connection, TableFunction)                       \
  CALL(connection_register_replacement_scan, Connection, ReplacementScan)                   \
  CALL(parse_sql, Connection, const char*, Iterator*)                                       \
  CALL(statement_iterator_next, Iterator, Statement*)                                       \
  CALL(sql_statement_get_type, Statement, StatementType*)                                   \
  CALL(statement_bind, Connection, Statement, Columns*, Columns*)                           \
  CALL(statement_execute_arrow, Connection, Statement, const Text*, const Value*, uint64_t, \
       uint64_t, ArrowAnswer*)                                                              \
  CALL(arrow_result_get_schema, ArrowAnswer, ArrowSchema*)                                  \
  CALL(arrow_result_get_result_type, ArrowAnswer, ResultType*)                              \
  CALL(arrow_result_fetch_array, ArrowAnswer, ArrowArray*)                                  \
  CALL(arrow_result_drain, ArrowAnswer, uint64_t*)                                          \
  CALL(arrow_importer_create, Context, ArrowSchema*, uint64_t, Importer*)                   \
  CALL(arrow_importer_append, Importer, ArrowArray*, bool, bool)                            \
  CALL(arrow_importer_next_chunk, Importer, Chunk*)                                         \
  CALL(arrow_importer_get_schema, Importer, Columns*)                                       \
  CALL(schema_get_count, Columns, uint64_t*)                                                \
  CALL(schema_get_field, Columns, uint64_t, Text*, LogicalType*)                            \
  CALL(data_chunk_get_vector, Chunk, uint64_t, Vector*)                                     \
  CALL(data_chunk_get_vector_count, Chunk, uint64_t*)                                       \
  CALL(data_chunk_get_capacity, Chunk, uint64_t*)                                           \
  CALL(data_chunk_get_size, Chunk, uint64_t*)                                               \
  CALL(vector_reference, Vector, Vector)                                                    \
  CALL(vector_set_size, Vector, uint64_t)                                                   \
  CALL(factory_create_type_from_id, Factory, TypeId, const Text*, const Value*, uint64_t,   \
       LogicalType*)                                                                        \
  CALL(logical_type_get_id, LogicalType, TypeId*)                                           \
  CALL(value_create_bigint, Factory, int64_t, Value*)                                       \
  CALL(value_get_logical_type, Value, LogicalType*)                                         \
  CALL(value_is_null, Value, bool*)                                                         \
  CALL(value_get_bool, Value, bool*)                                                        \
  CALL(value_get_bigint, Value, int64_t*)                                                   \
  CALL(value_get_float, Value, float*)                                                      \
  CALL(value_get_double, Value, double*)                                                    \
  CALL(value_get_varchar, Value, Text*)                                                     \
  CALL(value_get_blob, Value, Text*)                                                        \
  CALL(value_get_decimal, Value, HugeInt*, uint8_t*, uint8_t*)                              \
  CALL(value_get_date, Value, int32_t*)                                                     \
  CALL(value_get_time, Value, int64_t*)                                                     \
  CALL(value_get_timestamp, Value, int64_t*)                                                \
  CALL(value_get_timestamp_ns, Value, int64_t*)                                             \
  CALL(value_get_timestamp_tz, Value, int64_t*)                                             \
  CALL(value_to_string, Value, char*, uint64_t, uint64_t*)                                  \
  CALL(expression_get_type, Expression, ExpressionType*)                                    \
  CALL(expression_get_child_count, Expression, uint64_t*)                                   \
  CALL(expression_get_child, Expression, uint64_t, Expression*)                             \
  CALL(expression_column_ref_get_index, Expression, uint64_t*)                              \
  CALL(expression_constant_get_value, Expression, Value*)                                   \
  CALL(expression_function_get_name, Expression, Text*)                                     \
  CALL(qname_create, const Text*, uint64_t, Name*)                                          \
  CALL(qname_get_part_count, Name, uint64_t*)                                               \
  CALL(qname_get_part, Name, uint64_t, Text*)                                               \
  CALL(replacement_scan_create, Factory, ReplacementScan*)                                  \
  CALL(replacement_scan_set_callback, ReplacementScan, ReplacementCallback)                 \
  CALL(replacement_scan_set_user_data, ReplacementScan, Opaque*)                            \
  CALL(replacement_scan_get_user_data, ReplacementInfo, void**)                             \
  CALL(replacement_scan_get_name, ReplacementInfo, Name*)                                   \
  CALL(replacement_scan_set_function_name, ReplacementInfo, Name)                           \
  CALL(replacement_scan_add_argument, ReplacementInfo, Value)                               \
  CALL(replacement_scan_set_subquery, ReplacementInfo, const Text*)                         \
  CALL(replacement_scan_set_alias, ReplacementInfo, const Text*)                            \
  CALL(table_function_create, Factory, TableFunction*)                                      \
  CALL(table_function_set_name, TableFunction, const Text*)                                 \
  CALL(table_function_get_signature, TableFunction, Signature*)                             \
  CALL(function_signature_add_parameter, Signature, const Text*, LogicalType, Value,        \
       ParameterKind)                                                                       \
  CALL(table_function_set_user_data, TableFunction, Opaque*)                                \
  CALL(table_function_set_projection_pushdown, TableFunction, bool)                         \
  CALL(table_function_set_bind_callback, TableFunction, BindCallback)                       \
  CALL(table_function_set_init_global_callback, TableFunction, GlobalCallback)              \
  CALL(table_function_set_init_local_callback, TableFunction, LocalCallback)                \
  CALL(table_function_set_exec_callback, TableFunction, ExecCallback)                       \
  CALL(table_function_set_filter_pushdown_callback, TableFunction, FilterCallback)          \
  CALL(table_function_set_progress_callback, TableFunction, ProgressCallback)               \
  CALL(function_bind_get_user_data, BindInfo, void**)                                       \
  CALL(function_bind_get_arg_value, BindInfo, uint64_t, Value*)                             \
  CALL(function_bind_set_bind_data, BindInfo, Opaque*)                                      \
  CALL(table_function_bind_add_result_column, TableBindInfo, const Text*, LogicalType)      \
  CALL(table_function_bind_set_cardinality, TableBindInfo, uint64_t, bool)                  \
  CALL(table_function_init_global_get_bind_data, GlobalInfo, void**)                        \
  CALL(table_function_init_global_get_column_count, GlobalInfo, uint64_t*)                  \
  CALL(table_function_init_global_get_column_index, GlobalInfo, uint64_t, uint64_t*)        \
  CALL(table_function_init_global_set_global_state, GlobalInfo, Opaque*)                    \
  CALL(table_function_init_global_set_max_threads, GlobalInfo, uint64_t)                    \
  CALL(table_function_init_local_get_global_state, LocalInfo, void**)                       \
  CALL(table_function_init_local_set_local_state, LocalInfo, Opaque*)                       \
  CALL(table_function_exec_get_local_state, ExecInfo, void**)                               \
  CALL(table_function_exec_get_output_chunk, ExecInfo, Chunk*)                              \
  CALL(table_function_filter_pushdown_get_bind_data, FilterInfo, void**)                    \
  CALL(table_function_filter_pushdown_get_column_index, FilterInfo, uint64_t, uint64_t*)    \
  CALL(table_function_filter_pushdown_get_filter_count, FilterInfo, uint64_t*)              \
  CALL(table_function_filter_pushdown_get_filter, FilterInfo, uint64_t, Expression*)        \
  CALL(table_function_filter_pushdown_accept, FilterInfo, uint64_t)                         \
  CALL(table_function_progress_get_global_state, ProgressInfo, void**)                      \
  CALL(table_function_progress_set_progress, ProgressInfo, double)

// Functions that destroy a handle, and those that work on an error: without a place for one.
#define LAKESTREAM_DUCKDB_PLAIN_CALLS(CALL)          \
  CALL(environment_destroy, Environment*)            \
  CALL(instance_destroy, Instance*)                  \
  CALL(connection_destroy, Connection*)              \
  CALL(statement_iterator_destroy, Iterator*)        \
  CALL(sql_statement_destroy, Statement*)            \
  CALL(arrow_result_destroy, ArrowAnswer*)           \
  CALL(arrow_importer_destroy, Importer*)            \
  CALL(schema_destroy, Columns*)                     \
  CALL(data_chunk_destroy, Chunk*)                   \
  CALL(logical_type_destroy, LogicalType*)           \
  CALL(value_destroy, Value*)                        \
  CALL(qname_destroy, Name*)                         \
  CALL(replacement_scan_destroy, ReplacementScan*)   \
  CALL(table_function_destroy, TableFunction*)       \
  CALL(error_info_destroy, ErrorInfo*)               \
  CALL(error_info_get_text, ErrorInfo, Text*)        \
  CALL(error_info_set_text, ErrorInfo, const Text*)  \
  CALL(error_info_set_code, ErrorInfo, Code)
// clang-format on

struct Api {
#define LAKESTREAM_DUCKDB_MEMBER(name, ...) Code (*name)(__VA_ARGS__, ErrorInfo*) = nullptr;
#define LAKESTREAM_DUCKDB_PLAIN_MEMBER(name, ...) Code (*name)(__VA_ARGS__) = nullptr;
  LAKESTREAM_DUCKDB_CALLS(LAKESTREAM_DUCKDB_MEMBER)
  LAKESTREAM_DUCKDB_PLAIN_CALLS(LAKESTREAM_DUCKDB_PLAIN_MEMBER)
#undef LAKESTREAM_DUCKDB_MEMBER
#undef LAKESTREAM_DUCKDB_PLAIN_MEMBER
};

// Opens the library, once for the process: it stays open. Errors: kUnknownServerError when it is
// not there or of another version.
Status load();

// Requires: load() has succeeded.
const Api& loaded();

// What DuckDB says about a code that is none; takes `info`, which may be null.
Error take_error(Code code, ErrorInfo info);

// Calls a function: call(&Api::vector_reference, to, from).
template <typename... Parameters, typename... Arguments>
Status call(Code (*Api::*function)(Parameters...), Arguments... arguments) {
  ErrorInfo info = nullptr;
  Code code = (loaded().*function)(arguments..., &info);
  if (code == kNone) [[likely]]
    return ok();
  return fail(take_error(code, info));
}

// A handle that is destroyed with it.
template <typename Handle>
class Owned {
 public:
  using Destroy = Code (*Api::*)(Handle*);
  explicit Owned(Destroy destroy) : destroy_(destroy) {}
  Owned(Owned&& other) noexcept
      : destroy_(other.destroy_), handle_(std::exchange(other.handle_, nullptr)) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(destroy_, other.destroy_);
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Owned() { reset(); }

  Handle get() const { return handle_; }
  // Where a function puts the handle that it makes.
  Handle* out() {
    reset();
    return &handle_;
  }
  void reset() {
    if (handle_ != nullptr) (loaded().*destroy_)(&handle_);
    handle_ = nullptr;
  }

 private:
  Destroy destroy_;
  Handle handle_ = nullptr;
};

// Gives an error of ours to the engine, from a callback.
void report(const Error& error, ErrorInfo* into);

inline Text text_of(std::string_view text) { return {text.data(), text.size()}; }
inline std::string_view view_of(const Text& text) {
  return text.size == 0 ? std::string_view() : std::string_view(text.data, text.size);
}

}  // namespace lakestream::query::duck
