#include "client/bucket_queue.h"

#include <gtest/gtest.h>

#include "client/write_plan.h"
#include "format/batch.h"

namespace lakestream::client::internal {
namespace {

constexpr WriterId kWriter{7};
constexpr size_t kInFlight = 5;

using Batch = std::shared_ptr<PendingBatch>;

class BucketQueueTest : public testing::Test {
 protected:
  Batch push(bool foreign = false) {
    Batch batch = push_without_bytes(foreign);
    queue_.encoded(*batch, batch->writer, encode(batch->writer));
    return batch;
  }
  Batch push_without_bytes(bool foreign = false) {
    auto batch = std::make_shared<PendingBatch>();
    batch->outcome = std::make_shared<BatchOutcome>();
    batch->foreign = foreign;
    queue_.push(batch);
    return batch;
  }
  static Bytes encode(BatchWriter writer) {
    BatchHeader header;
    header.schema_id = SchemaId(1);
    header.writer_id = writer.id;
    header.batch_sequence = writer.sequence;
    return build_empty_batch(header);
  }
  Batch send() {
    Batch batch = queue_.next();
    if (batch != nullptr) queue_.sent(*batch);
    return batch;
  }
  Verdict refuse(const Batch& batch, ErrorCode code, bool may_repeat = true) {
    return queue_.refused(batch, Error(code, "made up"), may_repeat);
  }
  static BatchWriter writer_of(const Batch& batch) {
    auto view = BatchView::parse(batch->bytes);
    EXPECT_TRUE(view->validate());
    return {view->writer_id(), view->batch_sequence()};
  }

  BucketQueue queue_{kInFlight, {kWriter, with_writer}};
};

constexpr ErrorCode kOutOfOrder = ErrorCode::kOutOfOrderSequenceException;

// Proves that batches are numbered in the order of their coming and that so many are in flight at
// most.
TEST_F(BucketQueueTest, NumbersAndWindow) {
  std::vector<Batch> batches;
  for (int i = 0; i < 7; ++i) batches.push_back(push());
  for (size_t i = 0; i < kInFlight; ++i) EXPECT_EQ(send(), batches[i]);
  EXPECT_EQ(send(), nullptr);
  for (int i = 0; i < 7; ++i) {
    EXPECT_EQ(writer_of(batches[static_cast<size_t>(i)]).sequence, i);
    EXPECT_EQ(writer_of(batches[static_cast<size_t>(i)]).id, kWriter);
  }
  // A later one that is acknowledged makes no room: the server remembers five behind the last.
  queue_.acknowledged(batches[2], Offset(2));
  EXPECT_EQ(send(), nullptr);
  queue_.acknowledged(batches[0], Offset(0));
  EXPECT_EQ(send(), batches[5]);
  EXPECT_EQ(send(), nullptr);
  EXPECT_EQ(queue_.in_flight(), 4U);
}

// Proves that nothing is sent while an earlier batch waits to be sent again.
TEST_F(BucketQueueTest, OrderOfRepetition) {
  Batch a = push();
  Batch b = push();
  Batch c = push();
  EXPECT_EQ(send(), a);
  EXPECT_EQ(send(), b);
  EXPECT_EQ(refuse(a, ErrorCode::kNotLeaderOrFollower), Verdict::kAgain);
  EXPECT_EQ(queue_.next(), a);
  EXPECT_EQ(refuse(b, kOutOfOrder), Verdict::kAgain);
  EXPECT_EQ(send(), a);
  EXPECT_EQ(send(), b);
  EXPECT_EQ(send(), c);
  EXPECT_EQ(a->attempts, 2);
}

// Proves each way in which an answer says that the batch is in the log.
TEST_F(BucketQueueTest, KnownBatches) {
  Batch a = push();
  Batch b = push();
  (void)send();
  (void)send();
  queue_.acknowledged(b, Offset(1));
  EXPECT_EQ(refuse(a, kOutOfOrder), Verdict::kSettled);  // b is there, so a is
  EXPECT_TRUE(a->outcome->done && !a->outcome->error && !a->outcome->base_offset);
  Batch c = push();
  (void)send();
  EXPECT_EQ(refuse(c, ErrorCode::kDuplicateSequenceException), Verdict::kSettled);
  EXPECT_FALSE(c->outcome->error);
  EXPECT_TRUE(queue_.empty());
}

// Proves that an "out of order" that is older than the acknowledgement of the batch before is no
// failure.
TEST_F(BucketQueueTest, LateOutOfOrder) {
  Batch a = push();
  Batch b = push();
  (void)send();
  (void)send();
  EXPECT_EQ(refuse(a, ErrorCode::kNetworkException), Verdict::kAgain);
  (void)send();
  queue_.acknowledged(a, Offset(0));
  EXPECT_EQ(refuse(b, kOutOfOrder), Verdict::kAgain);
  EXPECT_EQ(send(), b);
  EXPECT_EQ(refuse(b, kOutOfOrder), Verdict::kSettled);  // now it is the server that forgot
  EXPECT_TRUE(b->outcome->error);
}

// Proves that behind a batch that failed for good the others are numbered anew, once the server has
// said that it does not have them, and not before all answers are in.
TEST_F(BucketQueueTest, RestartBehindAFailure) {
  Batch a = push();
  Batch b = push();
  Batch c = push();
  for (int i = 0; i < 3; ++i) (void)send();
  EXPECT_EQ(refuse(a, ErrorCode::kRecordTooLargeException), Verdict::kSettled);
  EXPECT_EQ(a->outcome->error->code(), ErrorCode::kRecordTooLargeException);
  EXPECT_EQ(refuse(b, kOutOfOrder), Verdict::kAgain);
  EXPECT_FALSE(queue_.wants_restart());
  EXPECT_EQ(queue_.next(), nullptr);
  EXPECT_EQ(refuse(c, kOutOfOrder), Verdict::kAgain);
  EXPECT_TRUE(queue_.wants_restart());
  Batch d = push();
  queue_.restart(WriterId(8));
  int32_t sequence = 0;
  for (const Batch& batch : {b, c, d}) {
    EXPECT_EQ(send(), batch);
    EXPECT_EQ(writer_of(batch).id, WriterId(8));
    EXPECT_EQ(writer_of(batch).sequence, sequence++);
  }
}

// Proves that a batch whose bytes are not there yet holds up those behind it, and that it gets the
// writer of the time when they come.
TEST_F(BucketQueueTest, BytesThatComeLate) {
  Batch a = push();
  Batch b = push_without_bytes();
  Batch c = push();
  EXPECT_EQ(send(), a);
  EXPECT_EQ(send(), nullptr);
  BatchWriter at_first = b->writer;
  EXPECT_EQ(refuse(a, ErrorCode::kRecordTooLargeException), Verdict::kSettled);
  queue_.restart(WriterId(9));
  queue_.encoded(*b, at_first, encode(at_first));
  EXPECT_EQ(send(), b);
  EXPECT_EQ(writer_of(b).id, WriterId(9));
  EXPECT_EQ(writer_of(b).sequence, 0);
  EXPECT_EQ(send(), c);
  EXPECT_EQ(writer_of(c).sequence, 1);
}

// Proves that a batch which failed on our side, but is in the log, leaves the numbers as they are.
TEST_F(BucketQueueTest, FailedButThere) {
  Batch a = push();
  Batch b = push();
  (void)send();
  EXPECT_EQ(refuse(a, ErrorCode::kNetworkException, false), Verdict::kSettled);
  EXPECT_EQ(send(), b);
  queue_.acknowledged(b, Offset(1));
  Batch c = push();
  EXPECT_EQ(writer_of(c).sequence, 2);
  (void)send();
  EXPECT_EQ(refuse(c, kOutOfOrder), Verdict::kSettled);
  EXPECT_FALSE(queue_.wants_restart());
}

// Proves that foreign batches and those of a queue without a writer have no numbers of ours, and
// that their errors are taken as they come.
TEST_F(BucketQueueTest, WithoutNumbers) {
  Batch foreign = push(true);
  Batch own = push();
  EXPECT_EQ(foreign->number, -1);
  EXPECT_EQ(own->number, 0);
  (void)send();
  EXPECT_EQ(refuse(foreign, kOutOfOrder), Verdict::kSettled);
  EXPECT_TRUE(foreign->outcome->error);
  EXPECT_EQ(send(), own);

  queue_ = BucketQueue(2, {kNoWriter, with_writer});
  Batch a = push();
  EXPECT_EQ(writer_of(a).id, kNoWriter);
  EXPECT_EQ(send(), a);
  EXPECT_EQ(refuse(a, ErrorCode::kRequestTimeOut), Verdict::kAgain);
  EXPECT_EQ(send(), a);
  queue_.acknowledged(a, Offset(3));
  EXPECT_EQ(a->outcome->base_offset, Offset(3));
}

}  // namespace
}  // namespace lakestream::client::internal
