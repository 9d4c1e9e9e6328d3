#include "query/duckdb_api.h"

#include <dlfcn.h>

namespace lakestream::query::duck {
namespace {

constexpr const char* kLibrary = "libduckdb.so";
constexpr std::string_view kVersion = "v2.0.0";
constexpr Code kApiError = 1;

std::string_view loader_message() {
  const char* message = ::dlerror();
  return message == nullptr ? "" : message;
}

template <typename Function>
bool find(void* library, const char* name, Function* function) {
  *function = reinterpret_cast<Function>(::dlsym(library, name));
  return *function != nullptr;
}

// The name of the first function that is missing, or nullptr.
const char* find_all(void* library, Api* api) {
#define LAKESTREAM_DUCKDB_FIND(name, ...) \
  if (!find(library, "duckdb_v2_" #name, &api->name)) return "duckdb_v2_" #name;
  LAKESTREAM_DUCKDB_CALLS(LAKESTREAM_DUCKDB_FIND)
  LAKESTREAM_DUCKDB_PLAIN_CALLS(LAKESTREAM_DUCKDB_FIND)
#undef LAKESTREAM_DUCKDB_FIND
  return nullptr;
}

Result<Api> open_library() {
  // Found by the program's run path. It is never closed: threads of its own may still run.
  void* library = ::dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return make_error(ErrorCode::kUnknownServerError,
                      "the SQL engine can not be loaded: {}; {} has to lie in lib/ beside the "
                      "program, tools/setup.sh build fetches it",
                      loader_message(),
                      kLibrary);
  }
  Api api;
  if (const char* missing = find_all(library, &api)) {
    return make_error(ErrorCode::kUnknownServerError,
                      "the SQL engine can not be used: {} has no {}; take the one of DuckDB {}",
                      kLibrary,
                      missing,
                      kVersion);
  }
  Text version{};
  ErrorInfo info = nullptr;
  if (api.library_version(&version, &info) != kNone || view_of(version) != kVersion) {
    return make_error(ErrorCode::kUnknownServerError,
                      "the SQL engine can not be used: {} is of DuckDB {}; take that of {}",
                      kLibrary,
                      view_of(version),
                      kVersion);
  }
  return api;
}

const Result<Api>& library() {
  static const Result<Api> opened = open_library();
  return opened;
}

}  // namespace

Status load() {
  if (!library()) return fail(library().error());
  return ok();
}

const Api& loaded() { return *library(); }

Error take_error(Code code, ErrorInfo info) {
  Text text{};
  if (info != nullptr) loaded().error_info_get_text(info, &text);
  std::string message(view_of(text));
  if (message.empty()) message = fmt::format("the SQL engine gives the code {}", code);
  if (info != nullptr) loaded().error_info_destroy(&info);
  return Error(ErrorCode::kUnknownServerError, std::move(message));
}

void report(const Error& error, ErrorInfo* into) {
  Text text = text_of(error.message());
  loaded().error_info_set_text(*into, &text);
  loaded().error_info_set_code(*into, kApiError);
}

}  // namespace lakestream::query::duck
