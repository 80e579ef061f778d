//! Matrix instructions: which lane holds an element of an operand, and in which register.
//!
//! ```text
//! C of SM80_16x8x16   ((4,8),(2,2)):((32,1),(16,8))    thread, value -> place in 16 x 8, column by column
//! strides, sorted     32_T  16_V  8_V  1_T             digits of the place, major to minor
//! split at row 16     ((2_V:2, 8_T:4), (4_T:1, 2_V:1)) the layout: element -> thread, value
//! ```
//!
//! Every operand is a bijection, so sorting its digits by stride gives its inverse.

mod table;

use std::iter;

use itertools::Itertools;

use self::table::{ATOMS, Atoms, HOPPER_A};
use crate::algebra::{Layout, Subaxis};
use crate::error::{LayoutError, ParseError, Site, did_you_mean};
use crate::level::Level;
use crate::notation::{Atom, CuteLayout, CuteMode, CuteStride, Operand};

impl Atom {
    /// The layout of the matrix: M x K for A, N x K for B, M x N for C. Registers are in `Addr`, threads in `LANE`,
    /// and `WARP` where the instruction or its tile spans several.
    ///
    /// # Errors
    /// [`ParseError`] for a name that is not in the table, and for an operand that is read from shared memory; for
    /// tiles of an instruction that takes a part of a warp, and for the result of a tile with several atoms along K.
    pub fn lower(&self) -> Result<Layout, ParseError> {
        let fragment = self.fragment()?;
        let digits = fragment.digits().ok_or_else(|| {
            self.refuse_name("its table does not say where every element is".into())
        })?;
        let layout = fragment.layout(&digits).map_err(|error| self.refuse(error))?;
        if self.atoms() == [1; 3] { Ok(layout) } else { self.tiled(&layout, fragment.warps) }
    }

    /// The layout of a tile of atoms, each of which is held by `warps` warps.
    ///
    /// Source: CuTe, `include/cute/atom/mma_atom.hpp`, make_tiled_mma: atoms follow each other along M, then N,
    /// then K.
    fn tiled(&self, atom: &Layout, warps: Option<u64>) -> Result<Layout, ParseError> {
        let [m, n, k] = self.atoms();
        let Some(warps) = warps else {
            let why = "tiles of an instruction that takes a part of a warp are not supported";
            return Err(self.refuse_name(why.into()));
        };
        let too_large = || self.refuse(LayoutError::too_large(Site::Layout, "the number of warps"));
        let steps = [
            Some(warps),
            warps.checked_mul(m),
            warps.checked_mul(m).and_then(|w| w.checked_mul(n)),
        ];
        let [m, n, k] = [(m, steps[0]), (n, steps[1]), (k, steps[2])];
        let (axes, (copies, apart)) = match self.operand() {
            Operand::A => ([m, k], n),
            Operand::B => ([n, k], m),
            Operand::C if k.0 > 1 => {
                let why = "atoms along K hold partial sums of C, and no layout says what is summed";
                return Err(self.refuse_name(why.into()));
            }
            Operand::C => ([m, n], (1, Some(0))),
        };
        let mut tiled =
            Layout::builder().replica(copies, Level::WARP, apart.ok_or_else(too_large)?);
        for (axis, (count, step)) in atom.axes().iter().zip(axes) {
            let extent = axis.extent.checked_mul(count).ok_or_else(too_large)?;
            let atoms = Subaxis::land(count, Level::WARP, step.ok_or_else(too_large)?);
            tiled = tiled.axis(extent, iter::once(atoms).chain(axis.subaxes.iter().copied()));
        }
        let tiled = tiled.build().map_err(|error| self.refuse(error))?;
        Ok(tiled.simplified())
    }

    /// Returns whether the instruction reads this matrix from shared memory, so that no thread holds it.
    #[must_use]
    pub fn is_in_shared_memory(&self) -> bool {
        let atoms = ATOMS.iter().find(|atoms| atoms.names.contains(&self.name()));
        let shares_b = match atoms {
            Some(atoms) => atoms.b.is_none(),
            None => hopper_columns(self.name()).is_some(),
        };
        shares_b && self.operand() == Operand::B
    }

    fn fragment(&self) -> Result<Fragment, ParseError> {
        match ATOMS.iter().find(|atoms| atoms.names.contains(&self.name())) {
            Some(atoms) => atoms.fragment(self.operand()).ok_or_else(|| self.refuse_shared()),
            None => match hopper_columns(self.name()) {
                Some(columns) => self.hopper(columns),
                None => Err(self.refuse_unknown()),
            },
        }
    }

    /// A matrix of `SM90_64xNx16_.._RS`.
    fn hopper(&self, columns: u64) -> Result<Fragment, ParseError> {
        let result = format!("((4,8,4),(2,2,{})):((128,1,16),(64,8,512))", columns / 8);
        let (text, shape) = match self.operand() {
            Operand::A => (HOPPER_A, [64, 16]),
            Operand::B => return Err(self.refuse_shared()),
            Operand::C => (&*result, [64, columns]),
        };
        let fragment = Fragment::new(text, shape, 32, None);
        fragment.ok_or_else(|| self.refuse_unknown())
    }

    fn refuse_shared(&self) -> ParseError {
        let refusal =
            self.refuse_name("this operand is read from shared memory: no thread holds it".into());
        refusal
            .with_help("its layout is one of shared memory, such as `S<3,3,3> o 0 o (8,64):(64,1)`")
    }

    fn refuse_unknown(&self) -> ParseError {
        let refusal =
            self.refuse_name(format!("`{}` is not in the table of instructions", self.name()));
        let known = ATOMS.iter().flat_map(|atoms| atoms.names).copied();
        let all = || {
            let known = known.clone().format(", ");
            format!("known are {known}, and SM90_64xNx16_F32F16F16_RS for N from 8 to 256 by 8")
        };
        refusal.with_help(did_you_mean(self.name(), known.clone()).unwrap_or_else(all))
    }
}

/// N of `SM90_64xNx16_F32F16F16_RS` and of the same instruction for other 16-bit types.
fn hopper_columns(name: &str) -> Option<u64> {
    let (written, types) = name.strip_prefix("SM90_64x")?.split_once("x16_")?;
    let is_known = ["F16F16F16_RS", "F32F16F16_RS", "F32BF16BF16_RS"].contains(&types);
    let columns: u64 = written.parse().ok().filter(|_| is_known && !written.starts_with('0'))?;
    ((8..=256).contains(&columns) && columns.is_multiple_of(8)).then_some(columns)
}

impl Atoms {
    /// A matrix in registers; `None` if it is in shared memory.
    fn fragment(&self, operand: Operand) -> Option<Fragment> {
        let [m, n, k] = self.shape;
        let (text, shape) = match operand {
            Operand::A => (self.a, [m, k]),
            Operand::B => (self.b?, [n, k]),
            Operand::C => (self.c, [m, n]),
        };
        Fragment::new(text, shape, self.warp, self.lanes)
    }
}

/// A matrix in the registers of threads.
struct Fragment {
    /// For each leaf, its size, its stride in the matrix (column by column), its level, and its stride in the
    /// level.
    leaves: Vec<(u64, u64, Level, u64)>,
    shape: [u64; 2],
    /// The number of warps that hold it; `None` for part of a warp.
    warps: Option<u64>,
}

impl Fragment {
    fn new(text: &str, shape: [u64; 2], warp: u64, lanes: Option<&str>) -> Option<Fragment> {
        let layout: CuteLayout = text.parse().ok()?;
        let [threads, values] = layout.axes() else { return None };
        let lane = |step: u64| match step < warp {
            true => (Level::LANE, step),
            false => (Level::WARP, step / warp),
        };
        let count: u64 = threads.leaves().iter().map(|(size, _)| size).product();
        let warps = count.is_multiple_of(warp).then(|| count / warp);
        let threads = match lanes {
            None => steps(threads),
            // Thread numbers become lane numbers: both are split in the same way.
            Some(lanes) => renumbered(threads, &lanes.parse::<CuteLayout>().ok()?.mode),
        };
        let threads = threads.into_iter().map(|(size, apart, step)| {
            let (level, stride) = lane(step);
            (size, apart, level, stride)
        });
        let values = steps(values).into_iter();
        let values = values.map(|(size, apart, step)| (size, apart, Level::ADDR, step));
        Some(Fragment { leaves: threads.chain(values).collect(), shape, warps })
    }

    /// Leaves major to minor, if they count every place of the matrix once.
    fn digits(&self) -> Option<Vec<Subaxis>> {
        let moving = self.leaves.iter().filter(|(size, ..)| *size > 1);
        let sorted = moving.sorted_by_key(|(_, apart, ..)| *apart).collect_vec();
        let mut next = 1;
        for (size, apart, ..) in &sorted {
            if *apart != next {
                return None;
            }
            next *= size;
        }
        let digits = sorted.iter().rev();
        let digits = digits.map(|(size, _, level, stride)| Subaxis::land(*size, *level, *stride));
        (next == self.shape.iter().product::<u64>()).then(|| digits.collect())
    }

    fn layout(&self, digits: &[Subaxis]) -> Result<Layout, LayoutError> {
        let [rows, columns] = self.shape;
        let whole = Layout::builder().axis(rows * columns, digits.iter().copied()).build()?;
        Ok(whole.split_axis(0, &[columns, rows])?.permute(&[1, 0])?.simplified())
    }
}

/// The leaves with their sizes, their strides, and the number that one step of each adds.
fn steps(mode: &CuteMode) -> Vec<(u64, u64, u64)> {
    let mut step = 1;
    let leaf = |(size, apart): (u64, CuteStride)| {
        let own = step;
        step *= size;
        (size, apart.step, own)
    };
    mode.leaves().into_iter().map(leaf).collect()
}

/// The leaves of threads, split where their lanes are, with the lanes as their numbers.
fn renumbered(threads: &CuteMode, lanes: &CuteMode) -> Vec<(u64, u64, u64)> {
    let mut bits = lanes
        .leaves()
        .into_iter()
        .flat_map(|(size, stride)| (0..size.ilog2()).map(move |bit| stride.step << bit));
    let leaves = threads.leaves().into_iter();
    let split =
        leaves.flat_map(|(size, apart)| (0..size.ilog2()).map(move |bit| apart.step << bit));
    split.map(|apart| (2, apart, bits.next().unwrap_or(0))).collect()
}
