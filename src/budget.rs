//! Every call of the public API ends within a stated number of steps. Steps are counted in the loops whose
//! length no formula bounds: walks over indexes, searches for sums, candidates, copies and runs.

use crate::algebra::{IndexOrder, Indexes, Subaxis, work};
use crate::candidates::Candidates;
use crate::einsum::{broadcast, reduce};
use crate::error::LayoutError;
use crate::relayout::{Relayout, UnitPart};
use crate::text::{CuteLayout, PadLayout, Strided};
use crate::{Layout, Level, Machine, Placement};

/// The greatest number of steps of a call: enough for a few searches of at most 2^22 steps each.
const MOST: u64 = 1 << 25;

/// Extents that line up and extents that do not, up to 2^20.
const EXTENTS: [u64; 12] = [1, 2, 3, 7, 64, 197, 960, 1000, 1500, 65_536, (1 << 20) - 3, 1 << 20];

/// A deterministic generator of random numbers (splitmix64).
struct Draw(u64);

impl Draw {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((x ^ (x >> 31)) % u64::try_from(limit).unwrap()).unwrap()
    }

    /// Draws a shape of up to 12 axes whose slots fit in 64 bits, even if all of them are rounded up.
    fn shape(&mut self) -> Vec<u64> {
        let (rank, mut room) = (self.below(13), 1_u64 << 40);
        let extents = (0..rank).map(|_| {
            let fits: Vec<u64> = EXTENTS.into_iter().filter(|n| *n <= room).collect();
            let extent = fits[self.below(fits.len())];
            room /= extent;
            extent
        });
        extents.collect()
    }

    /// Draws a layout that puts each level of the machine on some axis, above or below its words, or on none;
    /// the axes nest in the address in any order.
    fn layout(&mut self, machine: &Machine, shape: &[u64]) -> Layout {
        let mut axes: Vec<(Vec<Subaxis>, Vec<Subaxis>)> = vec![Default::default(); shape.len()];
        for (level, size) in machine.levels() {
            let (axis, side) = (self.below(shape.len() + 1), self.below(2));
            let unit = Subaxis::land(size, level, 1);
            match axes.get_mut(axis) {
                Some((above, _)) if side == 0 => above.push(unit),
                Some((_, below)) => below.push(unit),
                None => {}
            }
        }
        let mut order: Vec<usize> = (0..shape.len()).collect();
        (1..shape.len()).rev().for_each(|at| order.swap(at, self.below(at + 1)));
        let mut words = vec![Subaxis::land(1, Level::ADDR, 1); shape.len()];
        let mut stride = 1;
        for axis in order {
            let (above, below) = &axes[axis];
            let units: u64 = above.iter().chain(below).map(|unit| unit.size).product();
            words[axis] = Subaxis::land(shape[axis].div_ceil(units), Level::ADDR, stride);
            stride *= words[axis].size;
        }
        let mut builder = Layout::builder();
        for ((extent, (above, below)), words) in shape.iter().zip(axes).zip(words) {
            builder = builder.axis(*extent, above.into_iter().chain([words]).chain(below));
        }
        builder.build().unwrap()
    }
}

/// A layout, and the greatest number of steps that a call on it has taken.
struct Budgeted<'a>(&'a Layout, u64);

impl Budgeted<'_> {
    fn call<T, E>(&mut self, name: &str, call: impl FnOnce() -> Result<T, E>) -> Option<T> {
        let (answer, steps) = work::of(call);
        assert!(steps <= MOST, "{name} of {:?}: {steps} steps", self.0);
        self.1 = self.1.max(steps);
        answer.ok()
    }
}

fn questions(asked: &mut Budgeted, a: &Layout, b: &Layout) {
    let shape = a.shape();
    let last: Vec<u64> = shape.iter().map(|extent| extent - 1).collect();
    let place = asked.call("locate", || a.locate(&last)).unwrap();
    asked.call("locate_all", || a.locate_all(&last).map(Iterator::count));
    asked.call("element", || a.element(&place));
    asked.call("collision", || a.collision());
    asked.call("canonical", || a.canonical());
    asked.call("pads", || a.pads());
    asked.call("used_in", || a.used_in(Level::ADDR));
    asked.call("same_map", || a.same_map(b));
    asked.call("same_up_to_padding", || a.same_up_to_padding(b));
    asked.call("serves", || a.serves(b));
    asked.call("restrict", || a.restrict(&place));
    asked.call("without_padding", || a.without_padding());
    asked.call("simplified", || Ok::<_, LayoutError>(a.simplified()));
    asked.call("left_inverse", || a.left_inverse());
    asked.call("right_inverse", || a.right_inverse());
    asked.call("complement", || a.complement(&a.complement_space()?));
    asked.call("to_pad_layout", || PadLayout::of(&a));
    asked.call("to_cute", || CuteLayout::of(&a));
    asked.call("to_strided", || Strided::of(&a));
}

fn edits(asked: &mut Budgeted, a: &Layout) {
    let (rank, shape) = (a.rank(), a.shape());
    let reversed: Vec<usize> = (0..rank).rev().collect();
    asked.call("permute", || a.permute(&reversed));
    asked.call("flattened", || a.as_function(IndexOrder::RowMajor).flattened());
    asked.call("reshape", || a.reshape(&[a.elements()])?.reshape(&shape));
    let more: Vec<u64> = shape.iter().map(|extent| extent + 1).collect();
    asked.call("pad_to", || a.pad_to(&more));
    asked.call("with_minimal_padding", || a.with_minimal_padding());
    asked.call("insert_axis", || a.insert_axis(0)?.expand(0, 3, Level::ADDR));
    for (axis, extent) in shape.iter().enumerate().take(2) {
        asked.call("slice", || a.slice(axis, extent / 3, *extent, 3));
        asked.call("tile", || a.tile(axis, 2, Level::ADDR));
        asked.call("broadcast", || broadcast(a, &[axis]));
        asked.call("reduce", || reduce(&broadcast(a, &[axis])?, axis, a.axes()[axis].clone()));
    }
}

fn placed(asked: &mut Budgeted, machine: &Machine, a: &Layout, b: &Layout) {
    let on = |layout: &Layout| Placement::of(layout.clone()).on(machine).build();
    let (Some(a), Some(b)) = (asked.call("build", || on(a)), asked.call("build", || on(b))) else {
        return;
    };
    asked.call("elements_at", || {
        a.with_copies().elements_at(&[(Level::L2B, 0)].into_iter().collect())
    });
    asked.call("program", || a.program().map(|program| program.runs().next().is_some()));
    asked.call("copyable", || a.copyable(&b));
    let Some(pair) = asked.call("relayout", || Relayout::new(&a, &b)) else { return };
    asked.call("traffic", || pair.traffic());
    asked.call("into_in_slice", || pair.into_in_slice(0));
    asked.call("busiest", || pair.busiest(Level::L2B));
    asked.call("account", || pair.account());
    asked.call("a transfer", || pair.transfers().map(|mut all| all.next()));
    asked.call("traffic_to", || UnitPart::of(&a)?.traffic_to(&UnitPart::of(&b)?));
}

#[test]
fn every_call_ends_within_its_budget() {
    let machine = Machine::mn_core_2();
    let (mut draw, mut most) = (Draw(14), 0);
    for _ in 0..40 {
        let shape = draw.shape();
        let [a, b] = [(); 2].map(|()| draw.layout(&machine, &shape));
        let mut asked = Budgeted(&a, 0);
        questions(&mut asked, &a, &b);
        edits(&mut asked, &a);
        placed(&mut asked, &machine, &a, &b);
        let space = Candidates::new(&machine, &shape);
        asked.call("count", || space.count());
        asked.call("a candidate", || space.iter()?.next().transpose());
        most = most.max(asked.1);
    }
    // Some steps must be counted, or the bound proves nothing.
    assert!(most > 1000, "{most}");
}

#[test]
fn steps_of_indexes_are_counted() {
    let (count, steps) = work::of(|| Indexes::new(vec![3, 4]).count());
    assert_eq!((count, steps), (12, 12));
}
