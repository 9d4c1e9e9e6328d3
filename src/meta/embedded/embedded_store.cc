#include "meta/embedded/embedded_store.h"

#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include <sqlite3.h>
#include <sys/stat.h>

#include "base/logging.h"
#include "io/disk.h"

namespace lakestream {
namespace {

constexpr int kFormatVersion = 1;
constexpr int kApplicationId = 0x4c6b4d74;  // "LkMt": tells our file from any other SQLite file

// A node is found by the path of its parent and its name, so that children are neighbours.
constexpr const char* kCreateTables =
    "CREATE TABLE IF NOT EXISTS node ("
    " parent TEXT NOT NULL, name TEXT NOT NULL, value BLOB NOT NULL, version INTEGER NOT NULL,"
    " PRIMARY KEY (parent, name)) WITHOUT ROWID";

enum class Query { kGet, kChildren, kHasChild, kInsert, kUpdate, kDelete, kBegin, kCommit, kCount };

constexpr std::array<const char*, static_cast<size_t>(Query::kCount)> kQueries = {
    "SELECT value, version FROM node WHERE parent = ?1 AND name = ?2",
    "SELECT name FROM node WHERE parent = ?1 ORDER BY name",
    "SELECT 1 FROM node WHERE parent = ?1 LIMIT 1",
    "INSERT INTO node (parent, name, value, version) VALUES (?1, ?2, ?3, 0)",
    "UPDATE node SET value = ?3, version = ?4 WHERE parent = ?1 AND name = ?2",
    "DELETE FROM node WHERE parent = ?1 AND name = ?2",
    "BEGIN IMMEDIATE",
    "COMMIT",
};

// Says what is wrong with the file and what to do about it.
tl::unexpected<Error> sqlite_error(int code, const char* detail, const std::string& file) {
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return make_error(
          ErrorCode::kStorageException,
          "metadata store {} is in use by another process; stop it or use another data "
          "directory",
          file);
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      // Not retriable: trying again does not mend a file.
      return make_error(ErrorCode::kUnknownServerError,
                        "metadata store {} is damaged ({}); put a copy in its place",
                        file,
                        detail);
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
      return make_error(
          ErrorCode::kStorageException,
          "metadata store {} can not be written ({}); check the rights of file and folder",
          file,
          detail);
    case SQLITE_FULL:
      return make_error(ErrorCode::kStorageException, "metadata store {}: {}", file, kDiskFullMark);
    default:
      return make_error(ErrorCode::kStorageException, "metadata store {}: {}", file, detail);
  }
}

// A prepared statement during one use: bound, stepped, and reset at the end.
class Run {
 public:
  explicit Run(sqlite3_stmt* statement) : statement_(statement) {}
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;
  ~Run() {
    sqlite3_reset(statement_);
    sqlite3_clear_bindings(statement_);
  }

  // The text and bytes must outlive the run.
  Run& bind_text(int index, std::string_view text) {
    sqlite3_bind_text(statement_, index, text.data(), static_cast<int>(text.size()), SQLITE_STATIC);
    return *this;
  }
  Run& bind_bytes(int index, const Bytes& bytes) {
    // A null pointer would bind NULL instead of an empty value.
    const void* data = bytes.empty() ? static_cast<const void*>("") : bytes.data();
    sqlite3_bind_blob(statement_, index, data, static_cast<int>(bytes.size()), SQLITE_STATIC);
    return *this;
  }
  Run& bind_int(int index, int64_t value) {
    sqlite3_bind_int64(statement_, index, value);
    return *this;
  }
  int step() { return sqlite3_step(statement_); }

  Bytes bytes(int column) {
    const void* data = sqlite3_column_blob(statement_, column);
    return Bytes::copy_of(data, static_cast<size_t>(sqlite3_column_bytes(statement_, column)));
  }
  std::string text(int column) {
    const void* data = sqlite3_column_blob(statement_, column);
    return std::string(static_cast<const char*>(data),
                       static_cast<size_t>(sqlite3_column_bytes(statement_, column)));
  }
  int32_t integer(int column) { return sqlite3_column_int(statement_, column); }

 private:
  sqlite3_stmt* statement_;
};

class EmbeddedStore final : public MetaStore {
 public:
  explicit EmbeddedStore(std::string file) : file_(std::move(file)) {}
  ~EmbeddedStore() override {
    for (sqlite3_stmt* statement : statements_) sqlite3_finalize(statement);
    sqlite3_close(connection_);
  }

  Status open();
  Result<std::optional<MetaNode>> get(const std::string& path) override;
  Result<std::vector<std::string>> children(const std::string& path) override;
  Result<MultiResult> multi(std::vector<MetaOp> ops) override;

 private:
  // The connection's own lock, held over all statements of one call.
  class Turn {
   public:
    explicit Turn(sqlite3* connection) : mutex_(sqlite3_db_mutex(connection)) {
      sqlite3_mutex_enter(mutex_);
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    ~Turn() { sqlite3_mutex_leave(mutex_); }

   private:
    sqlite3_mutex* mutex_;
  };

  void keep_from_others() const;
  Status check_file();
  Status execute(const char* sql);
  Result<std::string> pragma(const char* sql);
  Status prepare();
  tl::unexpected<Error> error(int code) {
    return sqlite_error(code, sqlite3_errmsg(connection_), file_);
  }
  Run run(Query query) { return Run(statements_[static_cast<size_t>(query)]); }

  Result<std::optional<MetaNode>> find(std::string_view path);
  Result<bool> has_children(std::string_view path);
  Result<MetaOutcome> apply(const MetaOp& op);
  Result<MetaOutcome> apply_create(const MetaOp& op, bool exists);
  Status change(Query query, const MetaOp& op, std::optional<int32_t> version);
  Status run_plain(Query query);

  std::string file_;
  sqlite3* connection_ = nullptr;
  std::array<sqlite3_stmt*, kQueries.size()> statements_{};
};

Status EmbeddedStore::open() {
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_FULLMUTEX;
  int code = sqlite3_open_v2(file_.c_str(), &connection_, flags, nullptr);
  if (connection_ == nullptr) return sqlite_error(code, sqlite3_errstr(code), file_);
  if (code != SQLITE_OK) return error(code);
  sqlite3_extended_result_codes(connection_, 1);
  keep_from_others();
  // Exclusive before the log is opened: the lock is kept until close, and no shared memory is used.
  RETURN_IF_ERROR(execute("PRAGMA locking_mode = EXCLUSIVE"));
  RETURN_IF_ERROR(execute("PRAGMA journal_mode = WAL"));
  RETURN_IF_ERROR(execute("PRAGMA synchronous = FULL"));
  // The first write takes the lock: a second process fails here and not at its first change.
  RETURN_IF_ERROR(execute("BEGIN IMMEDIATE"));
  RETURN_IF_ERROR(check_file());
  RETURN_IF_ERROR(execute(kCreateTables));
  RETURN_IF_ERROR(execute("COMMIT"));
  return prepare();
}

// Passwords of users may be in it. The log beside it takes the permissions of the file.
void EmbeddedStore::keep_from_others() const {
  if (::chmod(file_.c_str(), S_IRUSR | S_IWUSR) == 0) return;
  LOG_WARN("meta",
           "other users of the machine may be able to read the metadata",
           KV("file", file_),
           KV("reason", std::generic_category().message(errno)));
}

// A file of ours, whole, and not of a later version; or a new one, which is marked as ours.
Status EmbeddedStore::check_file() {
  ASSIGN_OR_RETURN(std::string tables, pragma("SELECT count(*) FROM sqlite_schema"));
  ASSIGN_OR_RETURN(std::string application, pragma("PRAGMA application_id"));
  ASSIGN_OR_RETURN(std::string version, pragma("PRAGMA user_version"));
  if (tables == "0" && application == "0") {
    RETURN_IF_ERROR(execute(fmt::format("PRAGMA application_id = {}", kApplicationId).c_str()));
    return execute(fmt::format("PRAGMA user_version = {}", kFormatVersion).c_str());
  }
  if (application != std::to_string(kApplicationId)) {
    return make_error(ErrorCode::kStorageException,
                      "metadata store {} belongs to another program; use another data directory",
                      file_);
  }
  if (version != std::to_string(kFormatVersion)) {
    return make_error(
        ErrorCode::kStorageException,
        "metadata store {} has format {}, this version reads format {}; use the version "
        "that wrote it",
        file_,
        version,
        kFormatVersion);
  }
  ASSIGN_OR_RETURN(std::string verdict, pragma("PRAGMA quick_check(1)"));
  if (verdict != "ok") return sqlite_error(SQLITE_CORRUPT, verdict.c_str(), file_);
  return ok();
}

Status EmbeddedStore::execute(const char* sql) {
  int code = sqlite3_exec(connection_, sql, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return error(code);
  return ok();
}

// The first column of the first row.
Result<std::string> EmbeddedStore::pragma(const char* sql) {
  sqlite3_stmt* statement = nullptr;
  int code = sqlite3_prepare_v2(connection_, sql, -1, &statement, nullptr);
  std::string answer;
  if (code == SQLITE_OK) {
    Run run(statement);
    code = run.step();
    if (code == SQLITE_ROW) answer = run.text(0);
  }
  sqlite3_finalize(statement);
  if (code != SQLITE_ROW && code != SQLITE_DONE) return error(code);
  return answer;
}

Status EmbeddedStore::prepare() {
  for (size_t i = 0; i < kQueries.size(); ++i) {
    unsigned int flags = SQLITE_PREPARE_PERSISTENT;
    int code = sqlite3_prepare_v3(connection_, kQueries[i], -1, flags, &statements_[i], nullptr);
    if (code != SQLITE_OK) return error(code);
  }
  return ok();
}

Result<std::optional<MetaNode>> EmbeddedStore::get(const std::string& path) {
  RETURN_IF_ERROR(check_meta_path(path));
  Turn turn(connection_);
  return find(path);
}

Result<std::vector<std::string>> EmbeddedStore::children(const std::string& path) {
  RETURN_IF_ERROR(check_meta_path(path));
  Turn turn(connection_);
  Run run = this->run(Query::kChildren);
  run.bind_text(1, path);
  std::vector<std::string> names;
  int code = run.step();
  for (; code == SQLITE_ROW; code = run.step()) names.push_back(run.text(0));
  if (code != SQLITE_DONE) return error(code);
  return names;
}

Result<MultiResult> EmbeddedStore::multi(std::vector<MetaOp> ops) {
  for (const MetaOp& op : ops) RETURN_IF_ERROR(check_meta_op(op));
  Turn turn(connection_);
  RETURN_IF_ERROR(run_plain(Query::kBegin));
  for (size_t i = 0; i < ops.size(); ++i) {
    Result<MetaOutcome> outcome = apply(ops[i]);
    if (outcome && *outcome == MetaOutcome::kDone) continue;
    // Some errors have rolled back already; a second time is refused and does no harm.
    sqlite3_exec(connection_, "ROLLBACK", nullptr, nullptr, nullptr);
    if (!outcome) return fail(std::move(outcome).error());
    return MultiResult{.outcome = *outcome, .failed = i};
  }
  Status committed = run_plain(Query::kCommit);
  if (!committed) {
    sqlite3_exec(connection_, "ROLLBACK", nullptr, nullptr, nullptr);
    return fail(std::move(committed).error());
  }
  return MultiResult{};
}

Result<std::optional<MetaNode>> EmbeddedStore::find(std::string_view path) {
  if (path == "/") return std::optional<MetaNode>(MetaNode{});
  Run run = this->run(Query::kGet);
  run.bind_text(1, parent_of(path)).bind_text(2, name_of(path));
  int code = run.step();
  if (code == SQLITE_DONE) return std::optional<MetaNode>();
  if (code != SQLITE_ROW) return error(code);
  return std::optional<MetaNode>(MetaNode{.value = run.bytes(0), .version = run.integer(1)});
}

Result<bool> EmbeddedStore::has_children(std::string_view path) {
  Run run = this->run(Query::kHasChild);
  run.bind_text(1, path);
  int code = run.step();
  if (code != SQLITE_DONE && code != SQLITE_ROW) return error(code);
  return code == SQLITE_ROW;
}

Result<MetaOutcome> EmbeddedStore::apply(const MetaOp& op) {
  ASSIGN_OR_RETURN(std::optional<MetaNode> node, find(op.path));
  if (op.kind == MetaOp::Kind::kCreate) return apply_create(op, node.has_value());
  if (!node) return MetaOutcome::kNoNode;
  if (op.version != kAnyVersion && op.version != node->version) return MetaOutcome::kBadVersion;
  if (op.kind == MetaOp::Kind::kPut) {
    RETURN_IF_ERROR(change(Query::kUpdate, op, node->version + 1));
  }
  if (op.kind == MetaOp::Kind::kRemove) {
    ASSIGN_OR_RETURN(bool parent, has_children(op.path));
    if (parent) return MetaOutcome::kNotEmpty;
    RETURN_IF_ERROR(change(Query::kDelete, op, std::nullopt));
  }
  return MetaOutcome::kDone;
}

Result<MetaOutcome> EmbeddedStore::apply_create(const MetaOp& op, bool exists) {
  if (exists) return MetaOutcome::kNodeExists;
  ASSIGN_OR_RETURN(std::optional<MetaNode> parent, find(parent_of(op.path)));
  if (!parent) return MetaOutcome::kNoNode;
  RETURN_IF_ERROR(change(Query::kInsert, op, std::nullopt));
  return MetaOutcome::kDone;
}

// Runs a statement that changes the operation's node.
Status EmbeddedStore::change(Query query, const MetaOp& op, std::optional<int32_t> version) {
  Run run = this->run(query);
  run.bind_text(1, parent_of(op.path)).bind_text(2, name_of(op.path));
  if (query != Query::kDelete) run.bind_bytes(3, op.value);
  if (version) run.bind_int(4, *version);
  int code = run.step();
  if (code != SQLITE_DONE) return error(code);
  return ok();
}

Status EmbeddedStore::run_plain(Query query) {
  Run run = this->run(query);
  int code = run.step();
  if (code != SQLITE_DONE) return error(code);
  return ok();
}

}  // namespace

Result<std::unique_ptr<MetaStore>> open_embedded_store(const MetaStoreOptions& options) {
  RETURN_IF_ERROR(options.disk.create_directories(options.directory));
  auto store =
      std::make_unique<EmbeddedStore>(fmt::format("{}/{}", options.directory, kEmbeddedStoreFile));
  RETURN_IF_ERROR(store->open());
  return std::unique_ptr<MetaStore>(std::move(store));
}

}  // namespace lakestream
