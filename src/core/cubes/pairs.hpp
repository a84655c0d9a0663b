// What all cubes together say of every pair of questions: its four quadrants.
//
// Cubes come one after the other, in the order of their triples, and may be forgotten afterwards.
// A cube of three columns improves the quadrants of pairs from two of them by the third. The first
// cube that has two columns also has all that is to be known of these two alone, and the first one
// that has a column, of that one alone. So whichever cubes are in memory together, each pair meets
// its third questions in the same order, and ties end the same way.
#pragma once

#include <set>

#include "cubes/prefix.hpp"
#include "cubes/third_question.hpp"

namespace dtfinder::cubes {

class Pairs {
 public:
  explicit Pairs(const Layout& layout)
      : layout_(layout), classes_(static_cast<std::size_t>(layout.classes)) {
    const auto m = static_cast<std::size_t>(layout.features);
    if (layout.depth >= 2) pairs_.resize(m * (m ? m - 1 : 0) / 2);
    singles_.resize(m);
    quadrants_.resize(4 * classes_);
    scratch_.resize(2 * classes_);
  }

  // Takes a cube of counts and makes prefix sums of it.
  void take(Count* cube, const Triple& triple) {
    make_prefix_sums(cube, layout_, triple);
    std::array<std::size_t, 3> steps;
    std::size_t step = layout_.cells(triple);
    for (std::size_t i = 0; i < 3; ++i) steps[i] = step /= layout_.column(triple[i]).axis();
    std::array<Axis, 3> axes;
    for (std::size_t i = 0; i < 3; ++i)
      axes[i] = {triple[i], &layout_.column(triple[i]),
                 layout_.offset[static_cast<std::size_t>(triple[i])], steps[i]};
    for (const auto& [x, y, z] : kTurns) {
      const Plane plane{cube + axes[z].total(), axes[x], axes[y]};
      if (known_columns_.insert(triple[x]).second) take_column(plane);
      if (known_columns_.insert(triple[y]).second) take_column(plane.turned());
      if (layout_.depth >= 2 && known_pairs_.insert({triple[x], triple[y]}).second)
        take_plane(plane);
    }
    if (layout_.depth < 3) return;
    for (const auto& [x, y, z] : kTurns) take_third(cube, axes[x], axes[y], axes[z]);
  }

  const Layout& layout() const { return layout_; }
  Count leaf() const { return leaf_; }
  // The errors of a leaf where question f does not hold, and where it does.
  const std::array<Count, 2>& single(int f) const { return singles_[static_cast<std::size_t>(f)]; }
  // Of f < g.
  const Quadrants& pair(int f, int g) const { return pairs_[place(f, g)]; }

 private:
  struct Axis {
    int number;
    const Column* column;
    int offset;
    std::size_t step;
    std::size_t at(int question) const {
      return static_cast<std::size_t>(column->first + question) * step;
    }
    std::size_t total() const { return column->total() * step; }
  };
  // Two axes of a cube, with the total of the third.
  struct Plane {
    const Count* start;
    Axis x, y;
    Plane turned() const { return {start, y, x}; }
  };
  static constexpr std::array<std::array<std::size_t, 3>, 3> kTurns{
      {{0, 1, 2}, {0, 2, 1}, {1, 2, 0}}};

  std::size_t place(int f, int g) const {
    assert(f < g);
    const auto i = static_cast<std::size_t>(f), j = static_cast<std::size_t>(g);
    return i * (2 * static_cast<std::size_t>(layout_.features) - i - 1) / 2 + (j - i - 1);
  }
  Count errors(const Count* counts) const { return errors_of<0>(counts, layout_.classes); }

  void begin_pair(Quadrants& out) {
    for (std::size_t q = 0; q < 4; ++q) {
      out[q].leaf = out[q].best = errors(&quadrants_[q * classes_]);
      out[q].third = -1;
    }
  }
  void improve(const Lines& lines, const Axis& third, Quadrants& out) {
    if (layout_.classes == 2) {
      improve_quadrants<2>(lines, quadrants_.data(), 2, *third.column, third.offset, out,
                           scratch_.data());
    } else {
      improve_quadrants<0>(lines, quadrants_.data(), layout_.classes, *third.column, third.offset,
                           out, scratch_.data());
    }
  }

  // Pairs from two columns of a cube, and third questions from the other one.
  void take_third(const Count* cube, const Axis& x, const Axis& y, const Axis& z) {
    if (z.column->questions == 0) return;
    const std::size_t first = z.at(0), total = z.total();
    const auto line = [&](std::size_t i, std::size_t j) {
      return Line{cube + i + j + first, z.step};
    };
    for (int f = 0; f < x.column->questions; ++f) {
      for (int g = 0; g < y.column->questions; ++g) {
        const std::size_t i = x.at(f), j = y.at(g), all_x = x.total(), all_y = y.total();
        const Count* end = cube + total;
        quadrant_counts(end + i + j, end + i + all_y, end + all_x + j, end + all_x + all_y,
                        layout_.classes, quadrants_.data());
        improve({line(i, j), line(i, all_y), line(all_x, j), line(all_x, all_y)}, z,
                pairs_[place(x.offset + f, y.offset + g)]);
      }
    }
  }

  // The entry of an axis where two questions of its column hold; none if they exclude each other.
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  static std::size_t meet(const Axis& axis, int f, int g) {
    if (f == g) return axis.at(f);
    return axis.column->ordered ? axis.at(f < g ? f : g) : kNone;
  }
  // Counts where entry i of one axis and entry j of another hold, put into a buffer.
  void gather(std::vector<Count>& buffer, const Plane& plane, std::size_t i, std::size_t j) {
    for (std::size_t c = 0; c < classes_; ++c)
      buffer.push_back(i == kNone || j == kNone ? 0 : plane.start[i + j + c]);
  }
  template <class Both, class F, class G, class All>
  void improve_gathered(const Axis& third, Quadrants& out, Both both, F f, G g, All all) {
    for (auto& buffer : gathered_) buffer.clear();
    for (int k = 0; k < third.column->questions; ++k) {
      both(gathered_[0], k);
      f(gathered_[1], k);
      g(gathered_[2], k);
      all(gathered_[3], k);
    }
    const auto line = [&](std::size_t i) { return Line{gathered_[i].data(), classes_}; };
    improve({line(0), line(1), line(2), line(3)}, third, out);
  }
  void set_quadrants(const Plane& plane, std::array<std::size_t, 2> both,
                     std::array<std::size_t, 2> f, std::array<std::size_t, 2> g) {
    for (auto& buffer : gathered_) buffer.clear();
    gather(gathered_[0], plane, both[0], both[1]);
    gather(gathered_[1], plane, f[0], f[1]);
    gather(gathered_[2], plane, g[0], g[1]);
    gather(gathered_[3], plane, plane.x.total(), plane.y.total());
    quadrant_counts(gathered_[0].data(), gathered_[1].data(), gathered_[2].data(),
                    gathered_[3].data(), layout_.classes, quadrants_.data());
  }

  // What column x alone tells: single questions, pairs from it, and third
  // questions.
  void take_column(const Plane& plane) {
    const Axis& x = plane.x;
    const std::size_t all = plane.y.total();
    leaf_ = errors(plane.start + x.total() + all);
    for (int f = 0; f < x.column->questions; ++f) {
      set_quadrants(plane, {x.at(f), all}, {x.at(f), all}, {x.at(f), all});
      // Of a question with itself only the quadrants where it holds twice, or not at all, are used.
      singles_[static_cast<std::size_t>(x.offset + f)] = {errors(&quadrants_[0]),
                                                          errors(&quadrants_[3 * classes_])};
    }
    if (layout_.depth < 2) return;
    for (int f = 0; f < x.column->questions; ++f) {
      for (int g = f + 1; g < x.column->questions; ++g) {
        Quadrants& out = pairs_[place(x.offset + f, x.offset + g)];
        const std::size_t both = meet(x, f, g);
        set_quadrants(plane, {both, all}, {x.at(f), all}, {x.at(g), all});
        begin_pair(out);
        if (layout_.depth < 3) continue;
        const auto with = [&](int a) {
          return [&, a](auto& buffer, int k) { gather(buffer, plane, meet(x, a, k), all); };
        };
        improve_gathered(
            x, out,
            [&](auto& buffer, int k) {
              const bool apart = both == kNone || (!x.column->ordered && (k != f || k != g));
              const int least = f < k ? f : k;
              gather(buffer, plane, apart ? kNone : x.at(least), all);
            },
            with(f), with(g), [&](auto& buffer, int k) { gather(buffer, plane, x.at(k), all); });
      }
    }
  }

  // What two columns alone tell.
  void take_plane(const Plane& plane) {
    take_within(plane);
    take_within(plane.turned());
    const Axis &x = plane.x, &y = plane.y;
    for (int f = 0; f < x.column->questions; ++f) {
      for (int g = 0; g < y.column->questions; ++g) {
        Quadrants& out = pairs_[place(x.offset + f, y.offset + g)];
        set_quadrants(plane, {x.at(f), y.at(g)}, {x.at(f), y.total()}, {x.total(), y.at(g)});
        begin_pair(out);
        if (layout_.depth < 3) continue;
        const auto at = [&](auto i, auto j) {
          return [&plane, this, i, j](auto& buffer, int k) { gather(buffer, plane, i(k), j(k)); };
        };
        const auto x_f = [&, f](int k) { return meet(x, f, k); };
        const auto y_g = [&, g](int k) { return meet(y, g, k); };
        const auto x_k = [&](int k) { return x.at(k); };
        const auto y_k = [&](int k) { return y.at(k); };
        const auto only_f = [&, f](int) { return x.at(f); };
        const auto only_g = [&, g](int) { return y.at(g); };
        const auto all_x = [&](int) { return x.total(); };
        const auto all_y = [&](int) { return y.total(); };
        improve_gathered(x, out, at(x_f, only_g), at(x_f, all_y), at(x_k, only_g), at(x_k, all_y));
        improve_gathered(y, out, at(only_f, y_g), at(only_f, y_k), at(all_x, y_g), at(all_x, y_k));
      }
    }
  }
  // Pairs from column x, and third questions from y.
  void take_within(const Plane& plane) {
    const Axis &x = plane.x, &y = plane.y;
    if (layout_.depth < 3 || y.column->questions == 0) return;
    for (int f = 0; f < x.column->questions; ++f) {
      for (int g = f + 1; g < x.column->questions; ++g) {
        const std::size_t both = meet(x, f, g), all = y.total();
        set_quadrants(plane, {both, all}, {x.at(f), all}, {x.at(g), all});
        const auto of = [&](std::size_t i) {
          return [&, i](auto& buffer, int k) { gather(buffer, plane, i, y.at(k)); };
        };
        improve_gathered(y, pairs_[place(x.offset + f, x.offset + g)], of(both), of(x.at(f)),
                         of(x.at(g)), of(x.total()));
      }
    }
  }

  const Layout& layout_;
  const std::size_t classes_;
  Count leaf_ = 0;
  std::vector<std::array<Count, 2>> singles_;
  std::vector<Quadrants> pairs_;
  std::set<int> known_columns_;
  std::set<std::array<int, 2>> known_pairs_;
  std::vector<Count> quadrants_, scratch_;      // of the pair at hand
  std::array<std::vector<Count>, 4> gathered_;  // lines that do not lie in a cube as they are
};

}  // namespace dtfinder::cubes
