//! Layouts: texts read and written, comparison, algebra, edits.

use tensor_layout::notation::Notation;
use tensor_layout::{Layout, LayoutText, ParseError};

use self::ffi::{tl0_Layout, tl0_Notation};

/// The functions of [`tl0_Layout`] and the others.
#[diplomat::bridge]
pub mod ffi {
    use tensor_layout::error::fault;
    use tensor_layout::xla::XlaDtype;
    use tensor_layout::{Layout, LayoutText};

    use crate::error::ffi::tl0_Error;
    use crate::machine::ffi::tl0_Machine;
    use crate::words::{boxed, check_length, text};

    /// A notation that layouts are written in.
    #[derive(Debug)]
    #[diplomat::attr(cpp, rename = "Notation")]
    pub enum tl0_Notation {
        /// `((4_PE, 3:8), (8:1))`, of MN-Core.
        PadLayout = 0,
        /// `f32[12,8]{1,0:T(8,128)}`, of XLA.
        Xla = 1,
        /// `(4,8):(1,4)`, of CuTe.
        Cute = 2,
        /// `shape=(2, 3), strides=(3, 1)`, of NumPy and PyTorch.
        Strided = 3,
        /// Linear layouts of Triton.
        Triton = 4,
    }

    /// A map from the index of an element to the places where it lives.
    #[derive(Debug)]
    #[diplomat::opaque]
    #[diplomat::attr(cpp, rename = "Layout")]
    pub struct tl0_Layout {
        pub(crate) layout: Layout,
        /// True if elements may share places, as in CuTe and strides.
        pub(crate) is_function: bool,
        /// The memory that the text names.
        pub(crate) memory: Option<Box<str>>,
        /// The width of an element that the text gives.
        pub(crate) element_bits: Option<u64>,
    }

    /// A layout as text.
    #[derive(Debug)]
    #[diplomat::opaque]
    #[diplomat::attr(cpp, rename = "LayoutText")]
    pub struct tl0_LayoutText {
        text: String,
        left_out: Option<String>,
    }

    impl tl0_LayoutText {
        /// The text, as long as the handle lives.
        pub fn text<'a>(&'a self) -> &'a str {
            &self.text
        }

        /// The parts that the notation cannot express and the text leaves out, such as padding; without any, the text describes the
        /// same map.
        pub fn left_out<'a>(&'a self) -> Option<&'a str> {
            self.left_out.as_deref()
        }
    }

    impl tl0_Layout {
        /// Reads a text in the notation that it looks like: a PadLayout, a shape of XLA, with its sharding or without,
        /// CuTe, shape and strides, Triton, an instruction. Cost: 2 to 20 us.
        pub fn parse(text: &DiplomatStr) -> Result<Box<tl0_Layout>, Box<tl0_Error>> {
            boxed(tl0_Layout::read(crate::words::text(text)?, LayoutText::lower))
        }

        /// Reads a text for a machine: the devices of a sharding are its units, and the bare replicas of a PadLayout its
        /// levels. Cost: as `parse`.
        pub fn parse_on(
            text: &DiplomatStr,
            machine: &tl0_Machine,
        ) -> Result<Box<tl0_Layout>, Box<tl0_Error>> {
            let lower = |text: &LayoutText| text.lower_on(&machine.machine);
            boxed(tl0_Layout::read(crate::words::text(text)?, lower))
        }

        /// A copy that lives on its own. Cost: a few allocations.
        pub fn clone(&self) -> Box<tl0_Layout> {
            self.with(self.layout.clone())
        }

        /// The number of axes.
        pub fn rank(&self) -> usize {
            self.layout.rank()
        }

        /// The number of elements.
        pub fn elements(&self) -> u64 {
            self.layout.elements()
        }

        /// Writes the extents, one per axis. Cost: no allocation.
        pub fn shape(&self, extents: &mut [u64]) -> Result<(), Box<tl0_Error>> {
            check_length("the extents", extents.len(), self.layout.rank())?;
            for (extent, axis) in extents.iter_mut().zip(self.layout.axes()) {
                *extent = axis.extent;
            }
            Ok(())
        }

        /// The bits of an element, if the text gives them.
        pub fn element_bits(&self) -> Option<u64> {
            self.element_bits
        }

        /// Writes the layout in a notation; `dtype` is the element type of a shape of XLA, `f32` if it is empty. Cost: a
        /// few microseconds.
        pub fn write(
            &self,
            notation: tl0_Notation,
            dtype: &DiplomatStr,
        ) -> Result<Box<tl0_LayoutText>, Box<tl0_Error>> {
            let name = if dtype.is_empty() { "f32" } else { text(dtype)? };
            let unknown =
                || fault!(Unknown, "`{name}` is not a type of XLA", [name = name.to_owned()]);
            let dtype = XlaDtype::from_name(name).ok_or_else(unknown)?;
            let written = self.layout.write(notation.into(), dtype);
            boxed(written.map(|(text, left_out)| tl0_LayoutText { text, left_out }))
        }

        /// Returns whether two layouts are written alike, subaxis by subaxis. Cost: no allocation.
        pub fn equals(&self, other: &tl0_Layout) -> bool {
            self.layout == other.layout
        }

        /// Returns whether two layouts are one map: every place has the same element, padding or nothing. Cost: that of two
        /// canonical forms, regardless of the extents, where there are no derived axes.
        pub fn same_map(&self, other: &tl0_Layout) -> Result<bool, Box<tl0_Error>> {
            Ok(self.layout.same_map(&other.layout)?.is_none())
        }

        /// The layout of a tensor that is read through `map`, from its indexes to those of this layout: the map lands in
        /// the axes `i0`, `i1`, .. or, as row-major numbers, in `Addr`. Cost: subaxes of both.
        pub fn compose(&self, map: &tl0_Layout) -> Result<Box<tl0_Layout>, Box<tl0_Error>> {
            Ok(self.with(self.layout.compose(&map.layout)?))
        }

        /// The map from places to indexes, where elements have places of their own. Cost: subaxes, sorted.
        pub fn left_inverse(&self) -> Result<Box<tl0_Layout>, Box<tl0_Error>> {
            Ok(tl0_Layout::of(self.layout.left_inverse()?, false))
        }

        /// The map from places to indexes, also where elements share places. Cost: subaxes, sorted.
        pub fn right_inverse(&self) -> Result<Box<tl0_Layout>, Box<tl0_Error>> {
            Ok(tl0_Layout::of(self.layout.right_inverse()?, true))
        }

        /// The layout of the tensor in another shape, row-major. Cost: subaxes.
        pub fn reshape(&self, shape: &[u64]) -> Result<Box<tl0_Layout>, Box<tl0_Error>> {
            Ok(self.with(self.layout.reshape(shape)?))
        }

        /// The layout with its axes in another order: axis `i` of the result is axis `order[i]`. Cost: subaxes.
        pub fn permute(&self, order: &[usize]) -> Result<Box<tl0_Layout>, Box<tl0_Error>> {
            Ok(self.with(self.layout.permute(order)?))
        }

        /// Every `step`-th index of an axis from `start` up to `stop`, exclusive; bounds beyond the extent are clamped to
        /// it. Indexes that are not kept become padding. Cost: subaxes.
        pub fn slice(
            &self,
            axis: usize,
            start: u64,
            stop: u64,
            step: u64,
        ) -> Result<Box<tl0_Layout>, Box<tl0_Error>> {
            Ok(self.with(self.layout.slice(axis, start, stop, step)?))
        }
    }
}

impl tl0_Layout {
    fn read(
        text: &str,
        lower: impl Fn(&LayoutText) -> Result<Layout, ParseError>,
    ) -> Result<tl0_Layout, ParseError> {
        let text = LayoutText::parse(text)?;
        let memory = match &text {
            LayoutText::PadLayout(tree) => tree.memory.map(|memory| memory.name().into()),
            _ => None,
        };
        let (is_function, element_bits) = (text.is_function(), text.element_bits());
        Ok(tl0_Layout { layout: lower(&text)?, is_function, memory, element_bits })
    }

    /// A layout that was made from this one.
    fn with(&self, layout: Layout) -> Box<tl0_Layout> {
        let tl0_Layout { is_function, memory, element_bits, .. } = self;
        let (is_function, memory, element_bits) = (*is_function, memory.clone(), *element_bits);
        Box::new(tl0_Layout { layout, is_function, memory, element_bits })
    }

    /// A layout alone.
    pub(crate) fn of(layout: Layout, is_function: bool) -> Box<tl0_Layout> {
        Box::new(tl0_Layout { layout, is_function, memory: None, element_bits: None })
    }
}

impl From<tl0_Notation> for Notation {
    fn from(notation: tl0_Notation) -> Notation {
        match notation {
            tl0_Notation::PadLayout => Notation::PadLayout,
            tl0_Notation::Xla => Notation::Xla,
            tl0_Notation::Cute => Notation::Cute,
            tl0_Notation::Strided => Notation::Strided,
            tl0_Notation::Triton => Notation::Triton,
        }
    }
}
