//! The surroundings of a layout: machine, memory, element width, first address.

use pyo3::prelude::*;
use tensor_layout::notation::Dtype;
use tensor_layout::{Layout, LayoutError, LayoutText, Machine, Placement};

use crate::machine::PyMachine;
use crate::refusal::{Answer, refused};
use crate::values::quoted;

/// The arguments of `Layout.on`.
#[derive(Clone, Debug, Default)]
pub(crate) struct OnArguments {
    pub(crate) machine: Option<Machine>,
    /// The text of the requested machine, if it has one.
    pub(crate) machine_text: Option<String>,
    pub(crate) memory: Option<String>,
    pub(crate) element_bits: Option<u64>,
    /// The name of the element type, if a PadLayout specifies one.
    pub(crate) dtype: Option<String>,
    pub(crate) base: u64,
    pub(crate) oversized: bool,
    pub(crate) shared: bool,
}

impl OnArguments {
    /// All arguments except the machine: memory, bits of an element, name of its type, and the rest.
    pub(crate) fn of(
        (memory, element_bits, dtype): (Option<String>, Option<u64>, Option<String>),
        base: u64,
        oversized: bool,
        shared: bool,
    ) -> OnArguments {
        let (machine, machine_text) = (None, None);
        OnArguments { machine, machine_text, memory, element_bits, dtype, base, oversized, shared }
    }

    /// The memory and the type at the end of a text: `@LM0 / Half`.
    pub(crate) fn written(text: &LayoutText) -> OnArguments {
        let LayoutText::PadLayout(tree) = text else { return OnArguments::default() };
        OnArguments {
            memory: tree.memory.map(|memory| memory.name().to_owned()),
            element_bits: tree.dtype.map(Dtype::bits),
            dtype: tree.dtype.map(|dtype| dtype.name().to_owned()),
            ..OnArguments::default()
        }
    }

    pub(crate) fn on(self, machine: Option<&PyMachine>) -> OnArguments {
        let machine_text = machine.and_then(PyMachine::text).map(str::to_owned);
        OnArguments {
            machine: machine.map(|machine| machine.machine.clone()),
            machine_text,
            ..self
        }
    }

    /// Merges the requested options with those of the layout, which must not contradict each other.
    ///
    /// The base of a placement is part of its layout and is not added again.
    pub(crate) fn and(self, written: &OnArguments) -> Answer<OnArguments> {
        Ok(OnArguments {
            machine: agreed("machine", self.machine, &written.machine, |of| quoted(of.name()))?,
            machine_text: self.machine_text.or_else(|| written.machine_text.clone()),
            memory: agreed("memory", self.memory, &written.memory, |of| quoted(of))?,
            element_bits: agreed("dtype", self.element_bits, &written.element_bits, bits)?,
            dtype: self.dtype.or_else(|| written.dtype.clone()),
            base: self.base,
            oversized: self.oversized || written.oversized,
            shared: self.shared || written.shared,
        })
    }

    pub(crate) fn place(
        &self,
        layout: Layout,
        is_function: bool,
    ) -> Result<Placement, LayoutError> {
        let mut builder = Placement::of(layout).base(self.base);
        if let Some(machine) = &self.machine {
            builder = builder.on(machine);
        }
        if let Some(memory) = &self.memory {
            builder = builder.memory(memory);
        }
        if let Some(bits) = self.element_bits {
            builder = builder.element_bits(bits);
        }
        if self.oversized {
            builder = builder.oversized();
        }
        if self.shared || is_function {
            builder = builder.shared_places();
        }
        builder.build()
    }
}

fn bits(bits: &u64) -> String {
    format!("{bits} bits")
}

/// Either value; if both are present, they must be equal.
fn agreed<T: Clone + PartialEq>(
    what: &str,
    given: Option<T>,
    written: &Option<T>,
    shown: impl Fn(&T) -> String,
) -> Answer<Option<T>> {
    match (&given, written) {
        (Some(given), Some(written)) if given != written => {
            let (given, written) = (shown(given), shown(written));
            refused(format!("{what}={given} contradicts {written} of the layout"))
        }
        _ => Ok(given.or_else(|| written.clone())),
    }
}

/// The name of a type that PadLayouts support.
pub(crate) fn name_of(dtype: &Bound<'_, PyAny>) -> Option<String> {
    let dtype: Dtype = dtype.extract::<&str>().ok()?.parse().ok()?;
    Some(dtype.name().to_owned())
}

/// The width of a type, given by its PadLayout name or as anything that NumPy accepts as a type.
pub(crate) fn bits_of(dtype: &Bound<'_, PyAny>) -> Answer<u64> {
    if let Ok(name) = dtype.extract::<&str>() {
        if let Ok(dtype) = name.parse::<Dtype>() {
            return Ok(dtype.bits());
        }
        if let Some(dtype) = tensor_layout::xla::XlaDtype::from_name(name) {
            return Ok(dtype.bits());
        }
    }
    let dtype = dtype.py().import("numpy")?.call_method1("dtype", (dtype,))?;
    let bytes: u64 = dtype.getattr("itemsize")?.extract()?;
    match bytes {
        0 => refused(format!("elements of {} have no width", dtype.str()?)),
        bytes => Ok(bytes * 8),
    }
}
