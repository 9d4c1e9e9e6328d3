#include "coordinator/event_queue.h"

#include <vector>

#include <gtest/gtest.h>

#include "io/sim/sim_world.h"

namespace lakestream::coordinator {
namespace {

struct Trace {
  std::vector<int> order;
  int inside = 0;
};

Task<void> event(EventQueue* queue, Clock* clock, Shard* shard, int number, Trace* trace) {
  std::optional<EventQueue::Turn> turn = co_await queue->enter();
  EXPECT_EQ(++trace->inside, 1);
  co_await sleep_for(*clock, *shard, std::chrono::milliseconds(1));
  trace->order.push_back(number);
  --trace->inside;
}

// Proves that events that suspend do not overlap and run in the order in which they came.
TEST(EventQueue, OneAtATimeInOrder) {
  SimWorld world(1);
  SimNode& node = world.add_node("a");
  EventQueue queue;
  Trace trace;
  for (int i = 0; i < 20; ++i) {
    node.shard(0).spawn(event(&queue, &node.env().clock, &node.shard(0), i, &trace));
  }
  EXPECT_TRUE(world.run_until([&] { return trace.order.size() == 20; }, std::chrono::seconds(1)));
  for (int i = 0; i < 20; ++i) EXPECT_EQ(trace.order[static_cast<size_t>(i)], i);
}

// Proves that the queue has an end, and takes events again once it has been worked off.
TEST(EventQueue, Limit) {
  SimWorld world(1);
  SimNode& node = world.add_node("a");
  EventQueue queue;
  size_t refused = 0;
  size_t entered = 0;
  struct Run {
    static Task<void> enter(EventQueue* q, Clock* c, Shard* s, size_t* in, size_t* out) {
      std::optional<EventQueue::Turn> turn = co_await q->enter();
      if (!turn) {
        ++*out;
        co_return;
      }
      if (++*in == 1) co_await sleep_for(*c, *s, std::chrono::seconds(1));
    }
  };
  for (size_t i = 0; i < EventQueue::kWaitingMax + 3; ++i) {
    node.shard(0).spawn(Run::enter(&queue, &node.env().clock, &node.shard(0), &entered, &refused));
  }
  world.run_for(std::chrono::seconds(10));
  EXPECT_EQ(refused, 2U);
  EXPECT_EQ(entered, EventQueue::kWaitingMax + 1);
}

}  // namespace
}  // namespace lakestream::coordinator
