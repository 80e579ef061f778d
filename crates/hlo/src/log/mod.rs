//! Out-of-memory messages: the allocations that a compiler lists, with the sizes of their shapes.
//!
//! ```text
//! Ran out of memory in memory space hbm. Used 20.50G of 16.00G hbm.     what was needed, and what there is
//!   1. Size: 8.00G                                                      an allocation, greatest first
//!      Operator: op_name="jit(f)/take"
//!      Shape: s32[2097152,8,4]{2,1,0:T(8,128)}
//!      Unpadded size: 256.00M
//! ```
//!
//! Loggers write a prefix before every line; fields are found after it.

mod amount;
mod read;

pub use amount::LogAmount;

use crate::HloReading;
use crate::bytes::total_too_large;
use crate::names::is_tiled;
use tensor_layout::LayoutError;
use tensor_layout::xla::{XlaAdvice, XlaSizes};
use tensor_layout::xla::{XlaArray, XlaShape};
use tensor_layout_words::to_u64;

/// An out-of-memory message of XLA.
///
/// ```
/// use tensor_layout_hlo::OutOfMemory;
/// let log = "Ran out of memory in memory space hbm. Used 20.50G of 16.00G hbm.
///   1. Size: 8.00G
///      Shape: s32[2097152,8,4]{2,1,0:T(8,128)}
///      Unpadded size: 256.00M
/// ";
/// let message = &OutOfMemory::read_all(log)[0];
/// let one = &message.allocations[0];
/// assert_eq!(one.sizes.as_ref().unwrap().allocated_bytes, 8 << 30);
/// assert!(one.agrees() && one.padding() == Some((8 << 30) - (256 << 20)));
/// assert_eq!(one.better.as_ref().unwrap().array.to_string(), "s32[2097152,8,4]{0,1,2:T(8,128)}");
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct OutOfMemory {
    /// The needed and the available memory, one for each sentence that has them.
    pub limits: Vec<LogLimit>,
    /// `arguments`, `program`, `HLO temp` and the like, with their sizes, in the order of the log.
    pub parts: Vec<(String, LogAmount)>,
    /// The allocations that the log lists.
    pub allocations: Vec<LogAllocation>,
    reading: HloReading,
}

/// A sentence of the log about an amount of memory that did not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LogLimit {
    /// The line, from 1.
    pub line: u64,
    /// The memory, as the log names it: `hbm`, `vmem`, a device.
    pub memory: String,
    /// The amount that was needed.
    pub needed: LogAmount,
    /// The amount that is available, if the log has it.
    pub capacity: Option<LogAmount>,
    /// The instruction or the tag that needed it, if the log names one.
    pub purpose: Option<String>,
}

/// An allocation of a log.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct LogAllocation {
    /// The line where it begins, from 1.
    pub line: u64,
    /// The size in the log; `None` for `unknown size`.
    pub size: Option<LogAmount>,
    /// The size without padding in the log, if it has one.
    pub unpadded: Option<LogAmount>,
    /// The shape as written.
    pub shape: Option<String>,
    /// The operation of the program that it comes from.
    pub op_name: Option<String>,
    /// The line of the program that it comes from, as `file:line`.
    pub source: Option<String>,
    /// The instruction: `%copy.4 = ..`, or its name.
    pub label: Option<String>,
    /// The kind, such as `HLO temp`.
    pub kind: Option<String>,
    /// The sizes of the shape; `None` if the log has no shape, or it cannot be read.
    pub sizes: Option<XlaSizes>,
    /// The reason the shape cannot be read.
    pub refusal: Option<String>,
    /// A tiled layout that takes the size in the log, if the shape in the log lacks its tiles.
    pub tiled: Option<XlaArray>,
    /// The smallest layout that TPU dumps show, if it takes less.
    pub better: Option<XlaAdvice>,
}

impl LogAllocation {
    /// Returns whether the size of the shape rounds to the size in the log.
    #[must_use]
    pub fn agrees(&self) -> bool {
        let pair = self.size.zip(self.sizes);
        pair.is_some_and(|(size, sizes)| size.is(sizes.allocated_bytes))
    }

    /// The bytes that it takes: those of the shape if the log agrees or lacks a size, otherwise those in the
    /// log.
    #[must_use]
    pub fn bytes(&self) -> Option<u64> {
        match self.sizes.filter(|_| self.size.is_none() || self.agrees()) {
            Some(sizes) => Some(sizes.allocated_bytes),
            None => self.size.and_then(LogAmount::bytes),
        }
    }

    /// The bytes that hold no element; `None` where it has no size, or more bytes of elements than it takes.
    #[must_use]
    pub fn padding(&self) -> Option<u64> {
        let by_shape = self.sizes.map(|sizes| sizes.unpadded_bytes);
        // A shape that contradicts the log in both sizes is not that of the allocation.
        let contradicts = self.size.is_some() && !self.agrees();
        let logged = self
            .unpadded
            .filter(|logged| by_shape.is_none_or(|bytes| contradicts && !logged.is(bytes)));
        let elements = logged.map_or(by_shape, LogAmount::bytes)?;
        self.bytes()?.checked_sub(elements)
    }

    /// The bytes that the better layout would save; 0 if there is none.
    #[must_use]
    pub fn saving(&self) -> u64 {
        let better = self.better.as_ref().zip(self.bytes());
        better.map_or(0, |(better, bytes)| bytes.saturating_sub(better.allocated_bytes))
    }

    /// Fills in the fields that follow from the shape: its sizes, and the advice on its layout.
    fn settle(&mut self) {
        let Some(text) = &self.shape else { return };
        let read = text.parse::<XlaShape>().and_then(|shape| Ok((shape.sizes()?, shape)));
        let (sizes, shape) = match read {
            Ok(read) => read,
            Err(error) => {
                self.refusal = Some(error.kind().to_string());
                return;
            }
        };
        self.sizes = Some(match &shape {
            XlaShape::Tuple(members) => self.of_tuple(members.len(), sizes),
            _ => sizes,
        });
        let Some(array) = shape.as_array() else { return };
        // A layout without tiles is not advised: on a TPU no array has one.
        let advice = array.advice().unwrap_or_default().into_iter();
        let advice: Vec<XlaAdvice> = advice.filter(|advice| is_tiled(&advice.array)).collect();
        if !self.agrees() && !is_tiled(array) {
            self.tiled = self.tiling(array, &advice);
        }
        let bytes = self.bytes();
        let is_tpu = is_tiled(array) || self.tiled.is_some();
        self.better = advice
            .into_iter()
            .filter(|advice| is_tpu && advice.is_seen && Some(advice.allocated_bytes) < bytes)
            .min_by_key(|advice| advice.allocated_bytes);
    }

    /// The sizes of a tuple: of the table of its members' addresses where the log has the size of that.
    fn of_tuple(&self, members: usize, sizes: XlaSizes) -> XlaSizes {
        const ADDRESS: u64 = 8;
        let table = to_u64(members).saturating_mul(ADDRESS);
        let is = |bytes| self.size.is_some_and(|size| size.is(bytes));
        if is(sizes.allocated_bytes) || !is(table) {
            return sizes;
        }
        let [unpadded_bytes, allocated_bytes, span_bytes, data_bytes] = [table; 4];
        XlaSizes { unpadded_bytes, allocated_bytes, span_bytes, data_bytes }
    }

    /// Returns the advised tiling in the array's own order under which it takes the size in the log, if any.
    fn tiling(&self, array: &XlaArray, advice: &[XlaAdvice]) -> Option<XlaArray> {
        let size = self.size?;
        let order = |array: &XlaArray| array.layout_or_default().minor_to_major;
        let mut fits = advice.iter().filter(|advice| size.is(advice.allocated_bytes));
        fits.find(|advice| order(&advice.array) == order(array)).map(|advice| advice.array.clone())
    }
}

impl OutOfMemory {
    /// The amounts and shapes that could not be read.
    pub fn reading(&self) -> &HloReading {
        &self.reading
    }

    /// The bytes of all allocations, and their padding, as far as each is known.
    ///
    /// # Errors
    /// `TooLarge`.
    pub fn total(&self) -> Result<(u64, u64), LayoutError> {
        let sum = |of: fn(&LogAllocation) -> Option<u64>| {
            let mut known = self.allocations.iter().filter_map(of);
            known.try_fold(0_u64, u64::checked_add).ok_or_else(total_too_large)
        };
        Ok((sum(LogAllocation::bytes)?, sum(LogAllocation::padding)?))
    }

    /// The allocation whose better layout saves the most bytes.
    #[must_use]
    pub fn largest_saving(&self) -> Option<&LogAllocation> {
        let most = self.allocations.iter().rev().max_by_key(|one| one.saving())?;
        (most.saving() > 0).then_some(most)
    }

    /// The size of the arguments in the log, if it has one.
    #[must_use]
    pub fn arguments(&self) -> Option<LogAmount> {
        self.parts.iter().find(|(name, _)| name == "arguments").map(|(_, amount)| *amount)
    }
}
