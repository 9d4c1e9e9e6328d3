#include "log/group.h"

#include "base/failpoint.h"
#include "base/logging.h"
#include "log/file_names.h"
#include "log/log_files.h"

namespace lakestream::log_internal {
namespace {

class GroupWriting {
 public:
  GroupWriting(Disk& disk, GroupPlan& plan) : disk_(disk), plan_(plan) {
    outcome_.points_written.resize(plan.steps.size());
  }

  GroupOutcome run() {
    Status written = write_all();
    if (!written) {
      outcome_.error = std::move(written).error();
      bool brought_back = undo();
      outcome_.undone = brought_back && !sync_failed_;
    }
    return std::move(outcome_);
  }

 private:
  std::string path(Offset offset, FileKind kind) const {
    return file_path(plan_.directory, offset, kind);
  }

  Status write_all() {
    if (plan_.manifest) {
      std::string manifest = fmt::format("{}/{}", plan_.directory, kManifestName);
      RETURN_IF_ERROR(write_file_atomically(disk_, manifest, *plan_.manifest));
    }
    bool created = false;
    for (size_t i = 0; i < plan_.steps.size(); ++i) {
      GroupStep& step = plan_.steps[i];
      outcome_.files.push_back(nullptr);
      RETURN_IF_ERROR(open(step));
      outcome_.files.back() = step.file;
      if (!step.parts.empty()) RETURN_IF_ERROR(write(step));
      // None of these is needed to keep what was acknowledged.
      if (step.release) (void)step.file->truncate(step.end());
      outcome_.points_written[i] =
          step.points.empty() ||
          write_points(disk_, plan_.directory, step.base_offset, step.points_begin, step.points)
              .has_value();
      if (step.snapshot) {
        (void)write_writer_snapshot(disk_, plan_.directory, step.snapshot_offset, *step.snapshot);
      }
      created = created || step.create;
    }
    if (!created || !plan_.sync) return ok();
    Status synced = disk_.sync_directory(plan_.directory);
    sync_failed_ = !synced;
    return synced;
  }

  Status open(GroupStep& step) {
    if (step.file != nullptr) return ok();
    ASSIGN_OR_RETURN(step.file,
                     disk_.open(path(step.base_offset, FileKind::kLog),
                                step.create ? OpenMode::kCreate : OpenMode::kWrite));
    if (step.create) RETURN_IF_ERROR(step.file->truncate(0));
    return ok();
  }

  Status write(GroupStep& step) {
    // Space that is not there will be missed by the writes that need it.
    if (step.reserve > 0) (void)step.file->preallocate(step.reserve);
    RETURN_IF_ERROR(step.file->write_at(step.position, step.parts));
    RETURN_IF_ERROR(failpoint("log.after_write"));
    if (!plan_.sync) return ok();
    Status synced = step.file->sync();
    sync_failed_ = !synced;
    RETURN_IF_ERROR(std::move(synced));
    return failpoint("log.after_sync");
  }

  // False when the files could not be brought back for good.
  bool undo() {
    bool removed = false;
    for (size_t i = outcome_.files.size(); i-- > 0;) {
      GroupStep& step = plan_.steps[i];
      if (step.create) {
        step.file.reset();
        removed = true;
        Offset base = step.base_offset;
        if (!disk_.remove(path(base, FileKind::kWriterSnapshot))) return false;
        if (!remove_segment(disk_, plan_.directory, base)) return false;
      } else if (step.file != nullptr) {
        if (!step.file->truncate(step.position)) return false;
        if (!step.file->sync()) return false;
      }
    }
    // A segment that comes back after power loss would be taken for a part of the log.
    return !removed || disk_.sync_directory(plan_.directory).has_value();
  }

  Disk& disk_;
  GroupPlan& plan_;
  GroupOutcome outcome_;
  bool sync_failed_ = false;
};

}  // namespace

GroupOutcome write_group(Disk& disk, GroupPlan& plan) { return GroupWriting(disk, plan).run(); }

}  // namespace lakestream::log_internal
