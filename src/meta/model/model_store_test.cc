#include "meta/model/model_store.h"

#include <gtest/gtest.h>

namespace lakestream {
namespace {

// Proves what the faults do: a refused multi has no effect, one whose answer is lost has.
TEST(ModelStore, Faults) {
  ModelStore store;
  store.fail_multi([](const std::vector<MetaOp>&) { return ModelStore::Fault::kRefused; });
  EXPECT_FALSE(store.create("/a", {}).has_value());
  EXPECT_FALSE(store.get("/a")->has_value());
  store.fail_multi([](const std::vector<MetaOp>&) { return ModelStore::Fault::kAnswerLost; });
  EXPECT_FALSE(store.create("/a", {}).has_value());
  EXPECT_TRUE(store.get("/a")->has_value());
  store.fail_multi({});
  EXPECT_EQ(store.create("/a", {}).value(), MetaOutcome::kNodeExists);
  store.fail_reads([](const std::string& path) { return path == "/a"; });
  EXPECT_FALSE(store.get("/a").has_value());
  EXPECT_TRUE(store.children("/").has_value());
  EXPECT_EQ(store.multi_count(), 3);
}

}  // namespace
}  // namespace lakestream
