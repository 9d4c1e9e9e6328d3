#include <algorithm>
#include <utility>

#include "base/letter_case.h"
#include "query/scan_function.h"
#include "table/insert.h"

namespace lakestream::query {
namespace {

// A query as a statement that is planned and not run; nothing for others.
std::optional<std::string> only_planned(const std::string& sql) {
  SqlText text{sql};
  for (std::string_view word : {"SELECT", "WITH", "FROM", "COPY"}) {
    if (begins_with(text, {word})) return "EXPLAIN " + sql;
    if (begins_with(text, {"EXPLAIN", word})) return sql;
    if (!begins_with(text, {"EXPLAIN", "ANALYZE", word})) continue;
    constexpr std::string_view kAnalyze = "ANALYZE";
    auto found = std::search(sql.begin(), sql.end(), kAnalyze.begin(), kAnalyze.end(), same_letter);
    return "EXPLAIN " + std::string(found + static_cast<ptrdiff_t>(kAnalyze.size()), sql.end());
  }
  return std::nullopt;
}

}  // namespace

void EngineTables::begin_step(Step step) {
  step_ = step;
  wants_rehearsal_ = false;
  next_rehearsed_ = 0;
  named_.clear();
  used_.clear();
  used_scans_.clear();
  lake_notes_.clear();
  missing_.reset();
}

Result<std::unique_ptr<EngineAnswer>> EngineTables::run(const std::string& sql) {
  std::optional<std::string> planned = only_planned(sql);
  if (!planned) return engine_.run(sql);
  begin_step(Step::kFirst);
  auto answer = engine_.run(sql);
  if (!wants_rehearsal_) return answer;
  begin_step(Step::kRehearsal);
  // What is wrong with the statement, the second run says.
  answer = engine_.run(*planned);
  if (answer) learn();
  answer = nullptr;  // it has the engine as long as it is there
  begin_step(Step::kSecond);
  return engine_.run(sql);
}

// Of a name that the engine has made several scans of, each may want other rows.
void EngineTables::learn() {
  for (Rehearsed& name : rehearsed_) {
    std::vector<Predicate> conditions;
    bool is_known = true;
    for (size_t i = 0; i < used_.size(); ++i) {
      if (used_scans_[i] != name.scan) continue;
      is_known = is_known && used_[i]->asked.kind() != Predicate::Kind::kAnything;
      conditions.push_back(used_[i]->asked);
    }
    if (is_known && !conditions.empty()) name.condition = Predicate::any_of(std::move(conditions));
  }
}

Result<bool> EngineTables::rehearse(TablePlan& plan) {
  const TableDescriptor& table = plan.table.descriptor;
  // Of others nothing can be left out beforehand.
  if (!table.is_partitioned() && !table.has_primary_key()) return false;
  switch (step_) {
    case Step::kOnly:
      return false;
    case Step::kFirst:
      wants_rehearsal_ = true;
      return make_error(ErrorCode::kUnknownServerError, "{} is planned twice", plan.name());
    case Step::kRehearsal:
      return true;
    case Step::kSecond:
      break;
  }
  bool is_known =
      next_rehearsed_ < rehearsed_.size() && rehearsed_[next_rehearsed_].name == plan.name();
  if (is_known) plan.asked = rehearsed_[next_rehearsed_].condition;
  ++next_rehearsed_;
  return false;
}

}  // namespace lakestream::query
