//! The layout of a matrix of an instruction.

use std::iter;

use itertools::Itertools;

use super::Atom;
use super::families::{OfFamily, of_family};
use super::printed::Printed;
use super::sparse::{doubled, halved};
use super::table::{Atoms, instructions};
use super::tree::Operand;
use crate::algebra::{Layout, Replica, Subaxis};
use crate::error::{LayoutError, ParseError, Site, did_you_mean, fault};
use crate::level::Level;
use crate::text::CuteLayout;
use crate::text::kind::{Notation, NotationText, WrittenLayout};
use crate::text::xla::{XlaDtype, XlaParser};

impl Atom {
    /// The layout of the matrix: M x K for A, N x K for B, M x N for C; of a sparse instruction A as it is stored, M x K / 2.
    /// A side of a copy, S or D, is a matrix: of 8 x 8 matrices of halves, one below the other; of columns of 32 bits in
    /// tensor memory; of registers of 32 bits, a row for each lane; or of the bytes of one thread. Registers are in `Addr`,
    /// threads in `LANE`, and `WARP` where the instruction or its tile spans several; results in tensor memory are in `ROW`
    /// and `Addr`.
    ///
    /// # Errors
    /// [`ParseError`] for a name that is not in the table, and for an operand that is read from shared memory; for
    /// tiles of an instruction that takes a part of a warp, and for the result of a tile with several atoms along K.
    pub fn lower(&self) -> Result<Layout, ParseError> {
        let printed = Printed::of(&self.name);
        let layout = match printed.is_sparse {
            false => self.dense(&printed)?,
            true => {
                let half = halved(&printed).ok_or_else(|| self.refuse_unknown())?;
                let layout = self.dense(&half)?;
                match self.operand {
                    Operand::B => doubled(&layout).map_err(|error| self.refuse(error))?,
                    _ => layout,
                }
            }
        };
        if self.atoms == [1; 3] { Ok(layout) } else { self.tiled(&layout) }
    }

    /// The layout of a matrix of an instruction without zeros.
    fn dense(&self, printed: &Printed) -> Result<Layout, ParseError> {
        match of_family(printed, self.operand) {
            Some(found) => match found? {
                OfFamily::Held(layout) => Ok(layout),
                OfFamily::InSharedMemory => Err(self.refuse_shared()),
                OfFamily::Refused(why) => Err(self.refuse_name(why)),
            },
            None => self.in_table(printed),
        }
    }

    /// The layout of a matrix of an instruction in the table.
    fn in_table(&self, printed: &Printed) -> Result<Layout, ParseError> {
        let atoms = row(printed).ok_or_else(|| self.refuse_unknown())?;
        let [m, n, k] = atoms.shape;
        let [a, b, c] = atoms.places;
        let (places, shape) = match self.operand {
            Operand::A => (a, [m, k]),
            Operand::B => (b, [n, k]),
            _ => (c, [m, n]),
        };
        let places = places.parse::<CuteLayout>()?.lower()?;
        let values = places.axes()[1].extent;
        let held: Layout = format!("({}, {values}:1)", atoms.threads).parse()?;
        by_element(&held, &places, shape).map_err(|error| self.refuse(error))
    }

    /// The layout of a tile of atoms.
    ///
    /// Source: CuTe, `include/cute/atom/mma_atom.hpp`, make_tiled_mma: atoms follow each other along M, then N,
    /// then K.
    fn tiled(&self, atom: &Layout) -> Result<Layout, ParseError> {
        let [m, n, k] = self.atoms;
        if matches!(self.operand, Operand::S | Operand::D) {
            return Err(self.refuse_name("tiles of a copy are not supported".into()));
        }
        if atom.extent(Level::LANE) < 32 {
            let why = "tiles of an instruction that takes a part of a warp are not supported";
            return Err(self.refuse_name(why.into()));
        }
        let warps = atom.extent(Level::WARP).max(1);
        let too_large = || self.refuse(LayoutError::too_large(Site::Layout, "the number of warps"));
        let steps = [
            Some(warps),
            warps.checked_mul(m),
            warps.checked_mul(m).and_then(|w| w.checked_mul(n)),
        ];
        let [m, n, k] = [(m, steps[0]), (n, steps[1]), (k, steps[2])];
        let (axes, (copies, apart)) = match self.operand {
            Operand::A => ([m, k], n),
            Operand::B => ([n, k], m),
            _ if self.operand == Operand::C && k.0 > 1 => {
                let why = "atoms along K hold partial sums of C, and no layout says what is summed";
                return Err(self.refuse_name(why.into()));
            }
            _ => ([m, n], (1, Some(0))),
        };
        let mut tiled =
            Layout::builder().replica(copies, Level::WARP, apart.ok_or_else(too_large)?);
        for Replica { size, level, stride } in atom.replicas().iter().copied() {
            tiled = tiled.replica(size, level, stride);
        }
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
        let of = Printed::of(&self.name);
        matches!(of_family(&of, self.operand), Some(Ok(OfFamily::InSharedMemory)))
    }

    fn refuse_shared(&self) -> ParseError {
        let refusal =
            self.refuse_name("this operand is read from shared memory: no thread holds it".into());
        refusal
            .with_help("its layout is one of shared memory, such as `S<3,3,3> o 0 o (8,64):(64,1)`")
    }

    fn refuse_unknown(&self) -> ParseError {
        let why = format!("`{}` is not in the table of instructions", &self.name);
        let known = instructions().map(|(name, _)| name);
        // Those of the same machine, if there are any: `SM80`.
        let machine = self.name.split('_').next().unwrap_or_default();
        let all = || {
            let near: Vec<&str> = known.clone().filter(|name| name.starts_with(machine)).collect();
            let known = if near.is_empty() { known.clone().collect() } else { near };
            let known = known.iter().format(", ");
            format!(
                "known are {known}, SM90_64xNxK_F32F16F16_RS and _SS for N from 8 to 256 by 8, \
                 SM100_128xNxK_F32F16F16_SS, v_mfma_f32_32x32x8_f16 and more of CDNA, \
                 gfx11_v_wmma_f32_16x16x16_f16, SM75_U32x4_LDSM_N, \
                 SM100_TMEM_LOAD_32dp32b1x, UniversalCopy<uint128_t>"
            )
        };
        self.refuse_name(why).with_help(did_you_mean(&self.name, known.clone()).unwrap_or_else(all))
    }
}

/// The row of the table, by the name in CuTe, in an instruction set or in PTX; those that differ in signs alone have one.
fn row(printed: &Printed) -> Option<Atoms> {
    let find = |name: &str| {
        let is_named = |known: &str| {
            known == name
                || name.starts_with('_') && known.ends_with(name)
                || known.starts_with("TDP") && known.eq_ignore_ascii_case(name)
        };
        let found = instructions().find(|(known, _)| is_named(known));
        found.map(|(_, atoms)| atoms)
    };
    find(&printed.name).or_else(|| find(&printed.of_bits()))
}

/// The layout of a matrix, from the threads and values that hold it and their places in it, column by column.
fn by_element(held: &Layout, places: &Layout, shape: [u64; 2]) -> Result<Layout, LayoutError> {
    let [rows, columns] = shape;
    let column_by_column = held.compose(&places.left_inverse()?)?;
    Ok(column_by_column.split_axis(0, &[columns, rows])?.permute(&[1, 0])?.simplified())
}

impl NotationText for Atom {
    fn is_likely(text: &str) -> bool {
        Atom::looks_likely(text)
    }

    fn read(text: &str, _: XlaParser) -> Result<Atom, ParseError> {
        text.parse()
    }

    fn write(_: &Layout, _: Option<&Atom>, _: XlaDtype) -> Result<WrittenLayout, LayoutError> {
        Err(Notation::Atom.cannot_express(fault!(
            Inexpressible,
            "it is a name from a table, and such names can only be read"
        )))
    }
}
