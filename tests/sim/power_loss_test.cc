#include <map>
#include <set>

#include <gtest/gtest.h>

#include "base/logging.h"
#include "log_writers.h"

// One machine loses power (or its process is killed) at any moment while idempotent writers append.
// What was acknowledged is there afterwards, once, at the offset that was told, and in the writer's
// order; nothing is there that was not sent, in remote storage included. The record of it is kept
// by the writers, outside of the server.
//
//   LAKESTREAM_SIM_SEED=17 sim_test      one seed
//   LAKESTREAM_SIM_SEEDS=100:400 sim_test   a range, the end excluded
namespace lakestream {
namespace {

void check_bucket(const std::vector<Row>& rows,
                  BucketId bucket,
                  const Record& record,
                  std::map<Row, Offset>* found) {
  std::map<int64_t, int64_t> last_of_writer;
  for (size_t i = 0; i < rows.size(); ++i) {
    const Row& row = rows[i];
    EXPECT_TRUE(record.sent.contains(row))
        << "bucket " << bucket.value() << " offset " << i << " was never sent";
    auto [place, fresh] = found->emplace(row, Offset(static_cast<int64_t>(i)));
    EXPECT_TRUE(fresh) << "writer " << row.writer << " row " << row.number << " is there twice";
    auto [last, first] = last_of_writer.emplace(row.writer, row.number);
    if (!first) {
      EXPECT_LT(last->second, row.number) << "writer " << row.writer << " is out of order";
      last->second = row.number;
    }
  }
}

void run_seed(uint64_t seed) {
  bool power = seed % 4 != 0;  // else kill -9 in mode os, which keeps the page cache
  // In every other run, the log goes to remote storage while it is written.
  TextMap remote{{"remote.data.dir", "/remote"}, {"remote.log.task-interval-duration", "60 ms"}};
  Machine machine(seed, power, seed % 2 == 0 ? TextMap() : remote);
  SimWorld& world = machine.world();
  Record record;
  machine.begin_start();
  ASSERT_TRUE(world.run(machine.client().shard(0), create_table(&machine, {})));

  auto writers = start_writers(machine, record);
  auto lives = 1 + world.random().below(4);
  for (uint64_t life = 0; life < lives; ++life) {
    world.run_for(std::chrono::microseconds(world.random().below(1'500'000)));
    power ? machine.lose_power() : machine.kill();
    machine.power_on();
    machine.begin_start();
  }
  world.run_for(std::chrono::milliseconds(200));
  // Short lives may have seen nothing acknowledged; the last one gets on.
  auto gets_on = [&] { return !record.acknowledged.empty() || record.violation; };
  ASSERT_TRUE(world.run_until(gets_on, std::chrono::seconds(20))) << "nothing is acknowledged";
  for (auto& writer : writers) writer->stop();
  ASSERT_TRUE(writers_end(world, writers)) << "writers hang";
  ASSERT_FALSE(record.violation) << *record.violation;

  power ? machine.lose_power() : machine.kill();
  machine.power_on();
  machine.begin_start();
  ASSERT_TRUE(world.run_until([&] { return machine.is_started(); }, std::chrono::minutes(1)));
  ASSERT_TRUE(machine.server()) << machine.server().error().to_string();
  std::map<Row, Offset> found;
  for (int32_t bucket = 0; bucket < kBuckets; ++bucket) {
    auto rows = world.run(machine.client().shard(0), read_bucket(&machine, BucketId(bucket)));
    ASSERT_TRUE(rows) << rows.error().to_string();
    check_bucket(*rows, BucketId(bucket), record, &found);
  }
  for (const auto& [row, offset] : record.acknowledged) {
    auto place = found.find(row);
    ASSERT_NE(place, found.end()) << "writer " << row.writer << " row " << row.number << " is lost";
    EXPECT_EQ(place->second, offset) << "writer " << row.writer << " row " << row.number;
  }
  EXPECT_FALSE(record.acknowledged.empty());
  machine.kill();  // the last life is abandoned like the others
}

// Proves that acknowledged rows survive, once and in order, over the seeds.
TEST(PowerLoss, AcknowledgedRowsSurvive) {
  set_log_level(LogLevel::kError);
  run_seeds(300, run_seed);
}

}  // namespace
}  // namespace lakestream
