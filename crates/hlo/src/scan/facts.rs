//! The numbers of a layout found in a text: its shape, bytes, padding and fit.

use crate::names::is_tiled;
use tensor_layout::notation::{Dtype, MemoryText, PadLayout};
use tensor_layout::placement::{Fit, Placement};
use tensor_layout::sharding::ShardedShape;
use tensor_layout::xla::XlaAdvice;
use tensor_layout::xla::{XlaArray, XlaShape};
use tensor_layout::{LayoutError, ParseError};
use tensor_layout::{LayoutText, Level, Machine};

/// The machine, memory and dtype for the PadLayouts of a text; a memory or dtype in the layout takes
/// precedence.
#[derive(Clone, Copy, Debug, Default)]
pub struct ScanPlace<'a> {
    /// The machine that the layouts have to fit.
    pub machine: Option<&'a Machine>,
    /// The memory of layouts that name none.
    pub memory: Option<&'a str>,
    /// The type of the elements of layouts that name none.
    pub dtype: Option<Dtype>,
}

/// A layout in numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LayoutFacts {
    /// The extents; for a sharded shape, those of the whole tensor.
    pub shape: Vec<u64>,
    /// The bytes of the elements, where their type is known; for a sharded shape, on one device.
    pub unpadded_bytes: Option<u64>,
    /// The bytes with padding.
    pub allocated_bytes: Option<u64>,
    /// The room without elements, and the total room: in slots, or for XLA shapes in bytes.
    pub padding: (u64, u64),
    /// The lanes of the level `W` that a PadLayout uses, if it uses more than one.
    pub lanes: Option<u64>,
    /// The slices of the level `Time` that a PadLayout is moved in, if there is more than one.
    pub slices: Option<u64>,
    /// The memory that a PadLayout is in, in the text or else in the request.
    pub memory: Option<String>,
    /// The memories and levels of the machine, with the need and the capacity of each.
    pub fits: Vec<Fit>,
    /// The reason the layout cannot be placed on the machine.
    pub misplaced: Option<String>,
    /// A smaller tiling that TPU dumps show, if there is one.
    pub better: Option<XlaAdvice>,
}

impl LayoutFacts {
    /// The facts of a layout.
    ///
    /// # Errors
    /// As [`LayoutText::lower`] and [`XlaShape::sizes`].
    pub fn of(layout: &LayoutText, place: ScanPlace<'_>) -> Result<LayoutFacts, ParseError> {
        match layout {
            LayoutText::PadLayout(tree) => pad_layout(tree, place),
            LayoutText::Xla(shape) => xla(shape),
            LayoutText::Sharded(shape) => sharded(shape),
            _ => {
                let lowered = layout.lower()?;
                let slots = lowered.slots();
                let is_triton = matches!(layout, LayoutText::Triton(_));
                let bits = layout.element_bits().filter(|_| is_triton);
                let bytes = bits.and_then(|bits| lowered.elements().checked_mul(bits));
                Ok(LayoutFacts {
                    shape: lowered.shape(),
                    unpadded_bytes: bytes.map(|bits| bits.div_ceil(8)),
                    padding: (0, slots),
                    ..LayoutFacts::default()
                })
            }
        }
    }
}

fn pad_layout(tree: &PadLayout, place: ScanPlace<'_>) -> Result<LayoutFacts, ParseError> {
    let layout = tree.lower()?;
    let bits = tree.dtype.or(place.dtype).map(Dtype::bits);
    let bytes = |count: u64| Some(count.checked_mul(bits?)?.div_ceil(8));
    let pads = layout.pads().map_err(|error| tree.refuse(error))?;
    let several = |level| Some(layout.extent(level)).filter(|units| *units > 1);
    let named = tree.memory;
    let memory = named.as_ref().map(MemoryText::name).or(place.memory);
    let mut facts = LayoutFacts {
        shape: layout.shape(),
        unpadded_bytes: bytes(layout.elements()),
        allocated_bytes: bytes(layout.slots() / layout.copies().max(1)),
        padding: (pads, layout.slots()),
        lanes: several(Level::W),
        slices: several(Level::TIME),
        memory: memory.map(str::to_owned),
        ..LayoutFacts::default()
    };
    if let Some(machine) = place.machine {
        let placed = tree.lower_on(machine).and_then(|layout| {
            fits(Placement::of(layout).on(machine).oversized(), memory, bits)
                .map_err(|error| tree.refuse(error))
        });
        match placed {
            Ok(fits) => facts.fits = fits,
            Err(error) => facts.misplaced = Some(error.kind().to_string()),
        }
    }
    Ok(facts)
}

fn fits(
    mut on: tensor_layout::placement::PlacementBuilder,
    memory: Option<&str>,
    bits: Option<u64>,
) -> Result<Vec<Fit>, LayoutError> {
    on = memory.map_or(on.clone(), |memory| on.memory(memory));
    on = bits.map_or(on.clone(), |bits| on.element_bits(bits));
    Ok(on.build()?.fits())
}

/// A shape, or its one array: a tuple has no smaller tiling of its own.
fn xla(shape: &XlaShape) -> Result<LayoutFacts, ParseError> {
    let sizes = shape.sizes()?;
    let array = shape.as_array();
    let extents = array.map(XlaArray::extents).transpose();
    let better = array.map(|array| better(array, sizes.allocated_bytes)).transpose()?;
    Ok(LayoutFacts {
        shape: extents.map_err(|error| shape.refuse(error))?.unwrap_or_default(),
        unpadded_bytes: Some(sizes.unpadded_bytes),
        allocated_bytes: Some(sizes.allocated_bytes),
        padding: (sizes.padding_bytes(), sizes.allocated_bytes),
        better: better.flatten(),
        ..LayoutFacts::default()
    })
}

fn sharded(shape: &ShardedShape) -> Result<LayoutFacts, ParseError> {
    let sizes = shape.sizes()?;
    Ok(LayoutFacts {
        shape: shape.extents().map_err(|error| shape.refuse(error))?,
        unpadded_bytes: Some(sizes.shard_bytes),
        allocated_bytes: Some(sizes.device_bytes),
        padding: (sizes.tiling_padding_bytes, sizes.device_bytes),
        better: better(&sizes.shard, sizes.device_bytes)?,
        ..LayoutFacts::default()
    })
}

/// Returns the first advised tiling that dumps show and that takes less, for a tiled array only.
fn better(array: &XlaArray, allocated: u64) -> Result<Option<XlaAdvice>, ParseError> {
    if !is_tiled(array) {
        return Ok(None);
    }
    let advice = array.advice()?.into_iter();
    Ok(advice.filter(|advice| advice.is_seen).find(|advice| advice.allocated_bytes < allocated))
}
