#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>

#include "log/log_test_support.h"

// One log under everything at once: writers that repeat themselves, rolls, retention, truncation,
// checkpoints, a disk that fills up or fails, and machines that lose power. A plain model of what
// was acknowledged is compared after each start. The seed is printed; LOG_CHAOS_SEED runs one
// alone.
namespace lakestream {
namespace {

using log_testing::LogWorld;
using log_testing::make_batch;

constexpr int64_t kWriters = 4;

class Chaos {
 public:
  explicit Chaos(uint64_t seed) : random_(seed), world_(seed, options(seed)) {}

  void run() {
    world_.disk().set_cold_percent(random_.below(101));
    start();
    for (int life = 0; life < 6; ++life) {
      uint64_t steps = 1 + random_.below(60);
      for (uint64_t i = 0; i < steps && !testing::Test::HasFailure(); ++i) step();
      stop();
      start();
      if (testing::Test::HasFailure()) return;
    }
    world_.settle();
    if (world_.log().failure() == nullptr) world_.close();
  }

 private:
  static LogOptions options(uint64_t seed) {
    LogOptions options;
    options.durability = seed % 4 == 3 ? Durability::kOs : Durability::kSync;
    options.segment_bytes_max = 300 + 200 * (seed % 5);
    options.index_interval_bytes = 50 + 100 * (seed % 3);
    options.tail_bytes_max = 200 * (seed % 4);
    options.open_files_max = 1 + seed % 3;
    return options;
  }

  // What the log must hold from `start_` on: batches in order, the first `durable_` of which are
  // certain.
  struct Kept {
    Offset base;
    Offset end;
    Bytes bytes;
    int64_t writer;
    int32_t sequence;
  };

  void start() {
    world_.open();
    ASSERT_TRUE(world_.live != nullptr && world_.live->log != nullptr);
    listen();
    compare();
  }

  void trace(const char* what, uint64_t kind) {
    static const bool on = std::getenv("LOG_CHAOS_TRACE") != nullptr;
    if (!on) return;
    LogTablet& log = world_.log();
    std::fprintf(stderr,
                 "%s %lu: log %ld..%ld durable %ld, acked %ld, model to %ld\n",
                 what,
                 kind,
                 log.start_offset().value(),
                 log.end_offset().value(),
                 log.durable_end_offset().value(),
                 acked_.value(),
                 model_end().value());
  }

  void listen() {
    world_.log().set_progress_listener([this](const LogProgress& progress) {
      lost_.clear();
      if (progress.loss != nullptr) {
        for (const Kept& kept : model_) {
          if (kept.base >= progress.loss->from) lost_.push_back(kept);
        }
        drop_from(progress.loss->from);
      }
      acked_ = progress.durable_end;
    });
  }

  void drop_from(Offset from) {
    while (!model_.empty() && model_.back().base >= from) model_.pop_back();
    forget_sequences();
  }

  // Sequences go on from what the model holds.
  void forget_sequences() {
    next_sequence_ = deleted_;
    for (const Kept& kept : ghosts_) next_sequence_[kept.writer] = kept.sequence + 1;
    for (const Kept& kept : model_) next_sequence_[kept.writer] = kept.sequence + 1;
  }

  void step() {
    uint64_t kind = random_.below(20);
    trace("step", kind);
    switch (kind) {
      case 0:
        (void)world_.log().roll();
        break;
      case 1:
        world_.run(world_.store().checkpoint()).map_error([](const Error&) { return 0; });
        break;
      case 2:
        retain();
        break;
      case 3:
        truncate();
        break;
      case 4:
        full_ = random_.chance(1, 3);
        world_.disk().set_capacity(full_ ? world_.disk().used() + random_.below(300) : UINT64_MAX);
        break;
      case 5:
        if (random_.chance(1, 4)) fail_soon();
        break;
      case 6:
        world_.world.run_for(std::chrono::microseconds(random_.below(5000)));
        break;
      case 7:
        read_some();
        break;
      case 8:
        if (world_.log().failure() != nullptr) reopen_failed();
        break;
      default:
        append();
        break;
    }
  }

  void append() {
    auto writer = static_cast<int64_t>(random_.below(kWriters + 1)) - 1;
    int32_t sequence = writer < 0 ? -1 : next_sequence_[writer];
    const Kept* repeated = nullptr;
    if (writer >= 0 && random_.chance(1, 5)) repeated = last_of(writer);
    if (repeated != nullptr) sequence = repeated->sequence;
    Bytes batch = make_batch({.writer = writer,
                              .sequence = sequence,
                              .records = static_cast<int32_t>(random_.below(4)),
                              .payload = 10 + static_cast<size_t>(random_.below(200)),
                              .fill = static_cast<uint8_t>(random_.next()),
                              .magic = static_cast<int8_t>(random_.below(3))});
    Bytes kept = batch;
    auto appended = world_.try_append(std::move(batch));
    if (!appended) {
      if (appended.error().code() == ErrorCode::kOutOfOrderSequenceException &&
          last_of(writer) == nullptr && forgettable_.contains(writer)) {
        deleted_.erase(writer);
        next_sequence_.erase(writer);
        return;
      }
      EXPECT_TRUE(is_retriable(appended.error().code())) << appended.error().to_string();
      return;
    }
    if (repeated != nullptr) {
      EXPECT_TRUE(appended->duplicate);
      EXPECT_EQ(appended->base_offset, repeated->base);
      EXPECT_EQ(appended->end_offset, repeated->end);
      return;
    }
    EXPECT_FALSE(appended->duplicate);
    model_.push_back({appended->base_offset, appended->end_offset, kept, writer, sequence});
    if (writer >= 0) next_sequence_[writer] = sequence + 1;
  }

  const Kept* last_of(int64_t writer) const {
    for (size_t i = model_.size(); i-- > 0;) {
      if (model_[i].writer == writer) return &model_[i];
    }
    return nullptr;
  }

  void retain() {
    Offset limit(static_cast<int64_t>(
        random_.below(static_cast<uint64_t>(world_.log().end_offset().value()) + 1)));
    if (random_.chance(1, 2)) limit = world_.log().start_offset();
    bool deleted = world_.run(world_.log().delete_before(limit)).has_value();
    remember_start();
    // On a full disk room comes before the memory of writers that have no batch left.
    for (int64_t writer = 0; writer < kWriters && full_; ++writer) {
      forgettable_.insert(writer);
    }
    if (deleted) bury_ghosts();
  }

  void bury_ghosts() {
    for (const Kept& kept : ghosts_) deleted_[kept.writer] = kept.sequence + 1;
    ghosts_.clear();
  }

  void remember_start() {
    while (!model_.empty() && model_.front().end <= world_.log().start_offset()) {
      ghosts_.push_back(model_.front());
      model_.erase(model_.begin());
    }
    start_ = world_.log().start_offset();
  }

  // What was deleted at the start is not there to restore the writers from, so truncation stays
  // above the batches that the model still has of each.
  void truncate() {
    if (model_.empty() || world_.log().failure() != nullptr || !random_.chance(1, 3)) return;
    Offset target = model_[random_.below(model_.size())].end;
    Status truncated = world_.run(world_.log().truncate_to(target));
    if (!truncated) {
      if (world_.log().failure() != nullptr) truncating_to_ = target;
      return;
    }
    drop_from(target);
    acked_ = std::min(acked_, world_.log().end_offset());
    EXPECT_EQ(world_.log().end_offset(), model_end());
  }

  void fail_soon() {
    static constexpr const char* kOperations[] = {
        "write", "sync", "truncate", "open", "rename", "sync_directory"};
    world_.disk().fail_after(static_cast<int>(1 + random_.below(3)), kOperations[random_.below(6)]);
  }

  void read_some() {
    int64_t begin = world_.log().start_offset().value();
    int64_t end = world_.log().end_offset().value();
    if (begin == end) return;
    Offset from(begin + static_cast<int64_t>(random_.below(static_cast<uint64_t>(end - begin))));
    auto read = world_.run(world_.log().read(
        {.from = from, .limit = world_.log().end_offset(), .bytes_max = random_.below(1000)}));
    if (!read) return;  // an injected failure
    for (const BatchView& batch : log_testing::batches_of(read->records)) check(batch);
  }

  void check(const BatchView& batch) {
    for (const Kept& kept : model_) {
      if (kept.base != batch.base_offset()) continue;
      EXPECT_EQ(batch.bytes(), kept.bytes) << "offset " << kept.base.value();
      return;
    }
    ADD_FAILURE() << "nobody wrote offset " << batch.base_offset().value();
  }

  void reopen_failed() {
    world_.disk().set_capacity(UINT64_MAX);
    world_.disk().fail_after(0, "");
    world_.live->log.reset();
    world_.settle();
    Status opened = world_.try_open_log();
    ASSERT_TRUE(opened) << opened.error().to_string();
    listen();
    compare();
  }

  void stop() {
    // What a log could not undo may be there again after a crash: its writers were told to try
    // again.
    if (world_.log().failure() == nullptr && world_.options.durability == Durability::kSync) {
      lost_.clear();
    }
    uint64_t kind = random_.below(4);
    trace("stop", kind);
    switch (kind) {
      case 0: {
        Status closed = world_.run(world_.log().close());
        if (closed) acked_ = world_.log().end_offset();
        world_.live->log.reset();
        world_.settle();
        (void)world_.run(world_.store().close());
        world_.live.reset();
        break;
      }
      case 1:
        world_.kill();
        break;
      default:
        if (world_.options.durability == Durability::kOs) lower_to_synced();
        world_.lose_power();
        break;
    }
    world_.disk().set_capacity(UINT64_MAX);
    world_.disk().fail_after(0, "");
    full_ = false;
  }

  // Power loss in os mode may take anything that no flush covered: only the order is promised.
  void lower_to_synced() { acked_ = Offset(0); }

  void compare() {
    // A truncation that was cut short has happened or not.
    if (truncating_to_ && world_.log().end_offset() <= *truncating_to_) {
      drop_from(*truncating_to_);
      acked_ = std::min(acked_, *truncating_to_);
    }
    truncating_to_.reset();
    // A deletion that failed has happened or not.
    while (!ghosts_.empty() && ghosts_.back().base >= world_.log().start_offset()) {
      model_.insert(model_.begin(), ghosts_.back());
      ghosts_.pop_back();
    }
    bury_ghosts();
    EXPECT_GE(world_.log().end_offset(), std::min(acked_, model_end()));
    std::vector<BatchView> all = world_.read_all(1 + random_.below(800));
    remember_start();
    for (const Kept& kept : lost_) {
      if (all.size() > model_.size() && kept.base == model_end()) model_.push_back(kept);
    }
    lost_.clear();
    EXPECT_LE(all.size(), model_.size());
    for (size_t i = 0; i < std::min(all.size(), model_.size()); ++i) {
      EXPECT_EQ(all[i].bytes(), model_[i].bytes) << i;
    }
    // What was not acknowledged may be gone.
    while (model_.size() > all.size()) {
      EXPECT_GE(model_.back().base, acked_);
      model_.pop_back();
    }
    forget_sequences();
    EXPECT_EQ(world_.log().durable_end_offset(), world_.log().end_offset());
    for (int64_t writer = 0; writer < kWriters; ++writer) {
      if (const Kept* last = last_of(writer)) {
        auto known = world_.log().find_duplicate(WriterId(writer), last->sequence);
        EXPECT_TRUE(known && known->base_offset == last->base) << writer;
      }
    }
    acked_ = world_.log().end_offset();
  }

  Offset model_end() const { return model_.empty() ? start_ : model_.back().end; }

  Random random_;
  LogWorld world_;
  std::vector<Kept> model_;
  std::vector<Kept> lost_;    // by the last loss, while it may come back
  std::vector<Kept> ghosts_;  // of segments whose deletion failed
  std::map<int64_t, int32_t> next_sequence_;
  std::map<int64_t, int32_t> deleted_;  // the next sequences as deleted batches have it
  std::set<int64_t> forgettable_;
  bool full_ = false;
  Offset acked_;
  Offset start_;
  std::optional<Offset> truncating_to_;
};

TEST(LogChaos, KeepsWhatItAcknowledged) {
  // Acked batches are all there and once, in order, with their writers, whatever happens in
  // between.
  uint64_t first = 0;
  uint64_t limit = 150;
  if (const char* seed = std::getenv("LOG_CHAOS_SEED")) {
    first = std::strtoull(seed, nullptr, 10);
    limit = first + 1;
  }
  if (const char* count = std::getenv("LOG_CHAOS_COUNT")) {
    limit = first + std::strtoull(count, nullptr, 10);
  }
  for (uint64_t seed = first; seed < limit; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Chaos(seed).run();
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace lakestream
