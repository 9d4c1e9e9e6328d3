#include "tiering/tiering.h"

#include <utility>

#include "tiering/worker.h"

namespace lakestream {

TieringWorker::TieringWorker(Env& env,
                             Shard& shard,
                             std::shared_ptr<client::Connection> connection,
                             LakeFormat& format,
                             TieringOptions options)
    : state_(std::make_shared<tiering::WorkerState>(
          tiering::RoundContext{env, shard, std::move(connection), format, options})) {}

TieringWorker::~TieringWorker() = default;

void TieringWorker::start() { state_->start(); }

Task<Status> TieringWorker::stop() { return tiering::WorkerState::stop(state_); }

std::vector<TieringProgress> TieringWorker::progress() const { return state_->progress(); }

}  // namespace lakestream
