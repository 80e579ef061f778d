// Chooses the layout of a tensor that one operation makes and two others take, each in a layout of its own: of all
// candidates, the one with the fewest cycles to it and from it.
//
//     c++ -std=c++17 -fno-exceptions -fno-rtti planner.cpp $(pkg-config --cflags --libs tensor-layout)

#include <cinttypes>
#include <cstdio>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include <tensor_layout.hpp>

namespace tl = tensor_layout;

namespace {

template <typename T>
using Result = tl::diplomat::result<T, std::unique_ptr<tl::Error>>;

// Prints the error of a call that has no answer. A compiler would hand it on: it is a value, and owns its texts.
template <typename T>
bool failed(const char* call, Result<T> result, T* answer) {
  if (result.is_ok()) {
    *answer = std::move(result).ok().value();
    return false;
  }
  std::unique_ptr<tl::Error> error = std::move(result).err().value();
  std::string_view report = error->report();
  std::printf("%s: %.*s\n", call, static_cast<int>(report.size()), report.data());
  return true;
}

using Placed = std::unique_ptr<tl::Placement>;

bool place(const char* text, const tl::Machine& machine, Placed* placed) {
  std::unique_ptr<tl::Layout> layout;
  return failed("layout", tl::Layout::parse(text), &layout) ||
         failed("placement", tl::Placement::on(*layout, machine, nullptr, 0, 0), placed);
}

}  // namespace

int main() {
  std::unique_ptr<tl::Machine> machine;
  std::unique_ptr<tl::CostModel> model;
  if (failed("machine", tl::Machine::parse("mn-core-2"), &machine) ||
      failed("rates", tl::CostModel::of(*machine, 16), &model)) {
    return 1;
  }
  // The producer leaves the tensor in one layout, and each consumer takes it in another; all are in LM0.
  const char* const fixed[] = {"((8_L2B, 8_L1B, 16:16), (16_MAB, 4:1, 4_PE, 4_W)) @ LM0 / Half",
                               "((16_MAB, 4:16, 16:1), (8_L2B, 8_L1B, 4_PE, 4_W)) @ LM0 / Half",
                               "((16_MAB, 4:16, 16:1), (4_PE, 8_L2B, 8_L1B, 4_W)) @ LM0 / Half"};
  std::unique_ptr<tl::Pricer> pricer = tl::Pricer::of(*model);
  uint64_t parts[3] = {};
  for (int at = 0; at < 3; ++at) {
    Placed placed;
    if (place(fixed[at], *machine, &placed) || failed("part", pricer->part(*placed), &parts[at])) {
      return 1;
    }
  }
  // All that is paid if the tensor is kept in the layout of a part.
  auto paid = [&](uint64_t part, uint64_t* steps) {
    tl::Cost made{}, one{}, other{};
    if (failed("cost", pricer->cost(parts[0], part), &made) || failed("cost", pricer->cost(part, parts[1]), &one) ||
        failed("cost", pricer->cost(part, parts[2]), &other)) {
      return false;
    }
    *steps = made.steps + one.steps + other.steps;
    return true;
  };

  std::vector<uint64_t> shape = {1024, 1024};
  std::unique_ptr<tl::Candidates> all = tl::Candidates::of(*machine, {shape.data(), shape.size()});
  all->memory(*machine->memory_named("LM0"));
  all->element_bits(16);
  all->replicate(false);
  all->row_major(true);
  all->tree_order(true);
  std::unique_ptr<tl::CandidateWalk> walk;
  if (failed("candidates", all->walk(), &walk)) {
    return 1;
  }
  std::unique_ptr<tl::Candidate> best;
  uint64_t least = UINT64_MAX, seen = 0;
  for (;; ++seen) {
    std::unique_ptr<tl::Candidate> candidate;
    if (failed("next", walk->next(), &candidate)) {
      return 1;
    }
    if (candidate == nullptr) {
      break;
    }
    Placed placed;
    uint64_t part = 0, steps = 0;
    if (failed("placement", candidate->placement(), &placed) || failed("part", pricer->part(*placed), &part) ||
        !paid(part, &steps)) {
      return 1;
    }
    if (steps < least) {
      least = steps;
      best = std::move(candidate);
    }
  }
  std::unique_ptr<tl::LayoutText> text;
  uint64_t kept = 0;
  if (!paid(parts[0], &kept) || best == nullptr ||
      failed("text", best->layout()->write(tl::Notation::PadLayout, ""), &text)) {
    return 1;
  }
  std::string_view written = text->text();
  tl::PricerStatistics work = pricer->statistics();
  std::printf("%" PRIu64 " candidates, %" PRIu64 " parts, %" PRIu64 " pairs counted\n", seen, work.parts, work.counted);
  std::printf("as it is made: %" PRIu64 " cycles\n", kept);
  std::printf("best:          %" PRIu64 " cycles as %.*s\n", least, static_cast<int>(written.size()), written.data());

  // Bad texts are values too.
  std::unique_ptr<tl::Layout> layout;
  failed("bad text", tl::Layout::parse("((4_PE:1 2:4))"), &layout);
  return 0;
}
