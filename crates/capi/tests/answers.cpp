// Answers a file of questions, a line each, for `answers.rs`.

#include <cinttypes>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <tensor_layout.hpp>

namespace tl = tensor_layout;

namespace {

using Numbers = std::vector<uint64_t>;

template <typename T>
using Result = tl::diplomat::result<T, std::unique_ptr<tl::Error>>;

template <typename T>
tl::diplomat::span<const T> in(const std::vector<T>& of) {
  return {of.data(), of.size()};
}

template <typename T>
tl::diplomat::span<T> out(std::vector<T>& of) {
  return {of.data(), of.size()};
}

void print(const Numbers& numbers) {
  for (uint64_t number : numbers) {
    std::printf(" %" PRIu64, number);
  }
}

void print(std::string_view text) { std::printf("%.*s", static_cast<int>(text.size()), text.data()); }

// Prints the error of a call, or gives its answer.
template <typename T>
bool answered(Result<T> result, T* answer) {
  if (result.is_ok()) {
    *answer = std::move(result).ok().value();
    return true;
  }
  std::unique_ptr<tl::Error> error = std::move(result).err().value();
  std::printf("error %d ", static_cast<int>(error->kind().AsFFI()));
  std::optional<tl::Span> span = error->span();
  if (span.has_value()) {
    std::printf("%zu %zu ", span->start, span->end);
  }
  print(error->message());
  if (std::optional<std::string_view> help = error->help()) {
    std::printf(" | ");
    print(*help);
  }
  if (error->report().size() < error->message().size()) {
    std::printf("the report is too short");
  }
  return false;
}

bool answered(Result<std::monostate> result) {
  std::monostate nothing;
  return answered(std::move(result), &nothing);
}

template <typename T>
uint64_t hash(const std::vector<T>& numbers) {
  uint64_t sum = 14695981039346656037u;
  for (T number : numbers) {
    sum = (sum ^ number) * 1099511628211u;
  }
  return sum;
}

struct Session {
  std::unique_ptr<tl::Layout> layout, other;
  std::unique_ptr<tl::Machine> machine;
  std::unique_ptr<tl::Placement> placement, before;
  std::unique_ptr<tl::Table> table;

  void print_layout(const tl::Layout& of) {
    Numbers shape(of.rank());
    std::unique_ptr<tl::LayoutText> text;
    if (answered(of.shape(out(shape)))) {
      print(shape);
      std::printf(" : ");
      if (answered(of.write(tl::Notation::PadLayout, ""), &text)) {
        print(text->text());
        if (text->left_out().has_value()) {
          std::printf(" | ");
          print(*text->left_out());
        }
      }
    }
  }

  void edited(Result<std::unique_ptr<tl::Layout>> result) {
    std::unique_ptr<tl::Layout> made;
    if (answered(std::move(result), &made)) {
      print_layout(*made);
    }
  }

  void places(char kind) {
    before = std::move(placement);
    bool is_there = kind == 'P' ? answered(tl::Placement::of(*layout), &placement)
                                : answered(tl::Placement::on(*layout, *machine, nullptr, 16, 0), &placement);
    if (!is_there) {
      return;
    }
    std::printf("%" PRIu64 " %" PRIu64, placement->copies(), placement->footprint_words());
    for (size_t at = 0; at < placement->column_count(); ++at) {
      std::printf(" ");
      print(placement->column(at)->name());
    }
  }

  void fill() {
    std::vector<uint32_t> packed(table->elements()), inverse(table->places());
    if (answered(table->fill_packed_u32(out(packed)))) {
      std::printf("%" PRIu64, hash(packed));
    }
    std::vector<uint64_t> wide(table->places());
    if (answered(table->fill_inverse_u32(out(inverse))) && answered(table->fill_inverse_u64(out(wide)))) {
      std::printf(" %" PRIu64 " %" PRIu64, hash(inverse), hash(wide));
    }
  }

  void pack(size_t bytes) {
    std::vector<uint8_t> tensor(table->elements() * bytes), fill(bytes, 7), image(table->places() * bytes);
    for (size_t at = 0; at < tensor.size(); ++at) {
      tensor[at] = static_cast<uint8_t>(at * 37 % 251);
    }
    if (answered(table->pack(in(tensor), in(fill), out(image)))) {
      std::printf("%" PRIu64, hash(image));
      std::vector<uint8_t> back(tensor.size());
      if (answered(table->unpack(bytes, in(image), out(back)))) {
        std::printf(back == tensor ? " back" : " another");
      }
    }
  }

  void traffic() {
    std::unique_ptr<tl::Traffic> traffic;
    if (!answered(tl::Traffic::between(*before, *placement), &traffic)) {
      return;
    }
    std::printf("%" PRIu64 " %" PRIu64 " %" PRIu64, traffic->in_place(), traffic->within_memories(),
                traffic->moved().value_or(0));
    for (size_t at = 0; at < traffic->level_count(); ++at) {
      tl::LevelTraffic of = *traffic->level_traffic(at);
      std::printf(" ");
      print(traffic->level(at)->name());
      std::printf("=%" PRIu64 "/%" PRIu64 "/%" PRIu64, of.entering, of.leaving, traffic->across(*traffic->level(at)));
    }
    std::unique_ptr<tl::CostModel> model;
    if (!answered(tl::CostModel::of(*machine, 16), &model)) {
      return;
    }
    std::unique_ptr<tl::Pricer> pricer = tl::Pricer::of(*model);
    uint64_t from = 0, to = 0;
    tl::Cost even{}, busiest{};
    if (answered(pricer->part(*before), &from) && answered(pricer->part(*placement), &to) &&
        answered(pricer->cost(from, to), &even) && answered(pricer->busiest_cost(from, to), &busiest)) {
      std::printf(" costs %" PRIu64 " %" PRIu64, even.steps, busiest.steps);
    }
  }

  void route() {
    std::unique_ptr<tl::Route> route;
    if (!answered(tl::Route::between(*before, *placement), &route)) {
      return;
    }
    std::printf("%" PRIu64 "%s", route->cycles(), route->cycles_are_known() ? "" : " at least");
    for (size_t at = 0; at < route->hop_count(); ++at) {
      tl::HopCost cost = *route->hop_cost(at);
      std::printf(" ");
      print(route->movement(at).value_or("none"));
      std::printf(" %" PRIu64 " %" PRIu64 " %" PRIu64, cost.upper_words, cost.lower_words, cost.cycles);
      print_layout(*route->target(at)->layout());
    }
  }

  void candidates(const Numbers& shape) {
    std::unique_ptr<tl::Candidates> all = tl::Candidates::of(*machine, in(shape));
    all->level_parts(2);
    const tl::Level* outermost = machine->level(0);
    all->without_copies_in({&outermost, 1});
    uint64_t slices[] = {1, 2};
    all->time({slices, 2});
    std::unique_ptr<tl::CandidateWalk> walk;
    if (!answered(all->walk(), &walk)) {
      return;
    }
    for (int at = 0; at < 5; ++at) {
      std::unique_ptr<tl::Candidate> next;
      if (!answered(walk->next(), &next) || next == nullptr) {
        return;
      }
      print_layout(*next->layout());
      std::printf(" %" PRIu64 " %" PRIu64 " %" PRIu64 ";", next->footprint_words(), next->pads(), next->units_used());
    }
  }

  void answer(char kind, const std::string& text, const Numbers& numbers) {
    uint64_t number = 0;
    tl::Found found{};
    tl::Content content;
    bool same = false;
    switch (kind) {
      case 'L':
        if (answered(tl::Layout::parse(text), &layout)) {
          print_layout(*layout);
        }
        return;
      case 'O':
        if (answered(tl::Layout::parse(text), &other)) {
          print_layout(*other);
        }
        return;
      case 'M':
        if (answered(tl::Machine::parse(text), &machine)) {
          std::printf("%" PRIu64 " %" PRIu64, machine->units(), machine->word_bits());
        }
        return;
      case '=':
        if (answered(layout->same_map(*other), &same)) {
          std::printf(same ? "same" : "different");
        }
        return;
      case 'o': return edited(layout->compose(*other));
      case '<': return edited(layout->left_inverse());
      case '>': return edited(layout->right_inverse());
      case 'r': return edited(layout->reshape(in(numbers)));
      case 'x': {
        std::vector<size_t> order(numbers.begin(), numbers.end());
        return edited(layout->permute(in(order)));
      }
      case 's': return edited(layout->slice(numbers[0], numbers[1], numbers[2], numbers[3]));
      case 'P':
      case 'Q': return places(kind);
      case 'l': {
        Numbers place(placement->column_count());
        if (answered(placement->locate(in(numbers), out(place)))) {
          print(place);
        }
        return;
      }
      case 'a': {
        Numbers places(placement->column_count() * placement->copies());
        if (answered(placement->locate_all(in(numbers), out(places)))) {
          print(places);
        }
        return;
      }
      case 'e': {
        Numbers index(placement->rank());
        if (answered(placement->element(in(numbers), out(index)), &content)) {
          std::printf("%d", static_cast<int>(content.AsFFI()));
          print(index);
        }
        return;
      }
      case 't':
        if (answered(tl::Table::compile(*placement), &table)) {
          std::printf("%" PRIu64 " %" PRIu64, table->elements(), table->places());
        }
        return;
      case 'p':
        if (answered(table->place(in(numbers)), &number)) {
          std::printf("%" PRIu64, number);
        }
        return;
      case 'f':
        if (answered(table->element(numbers[0]), &found)) {
          std::printf("%d %" PRIu64, static_cast<int>(found.content.AsFFI()), found.element);
        }
        return;
      case 'F': return fill();
      case 'K': return pack(numbers[0]);
      case 'T': return traffic();
      case 'R': return route();
      case 'C': return candidates(numbers);
      default: std::printf("no question");
    }
  }
};

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    return 2;
  }
  std::ifstream questions(arguments[1]);
  Session session;
  for (std::string line; std::getline(questions, line);) {
    char kind = line[0];
    std::string text = line.substr(2);
    Numbers numbers;
    std::istringstream words(text);
    for (uint64_t number; words >> number;) {
      numbers.push_back(number);
    }
    session.answer(kind, text, numbers);
    std::printf("\n");
  }
  return 0;
}
