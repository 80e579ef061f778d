//! `edit`: the steps in the order of the command line, each one library call.

mod values;

use clap::{Arg, ArgAction, ArgMatches, Args as ClapArgs};
use tensor_layout::algebra::{Arrangement, IndexOrder, LinearFunction, Repeat};
use tensor_layout::notation::{CuteLayout, CuteMode, CuteStride, CuteTiler, Notation};
use tensor_layout::{Layout, LayoutText, Level};

use super::convert::{check_width, dtype};
use super::failure::Failure;
use super::input::{Form, NotationArg, Reading, numbers};
use super::modes::{modes, nested};
use super::output::print_layout;
use super::places::location;
use values::{axes, axis, bad, copies, keyed, shape, slice, used_level};

/// Edit a layout: apply steps in the order given, and print the result.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
CuTe layouts and strides are composed, inverted, divided and multiplied as in
CuTe: as functions of their linear index, colexicographic for CuTe layouts and
row-major for strides. In other notations, B lands in the axes i0, i1, .. of
LAYOUT, or in Addr, its row-major linear index.

Examples:
  tensor-layout edit '((4_PE, 3:8), (8:1))' --permute 1,0 --reshape 96
  tensor-layout edit '((), (2_Time:1), (), (8:1))' --drop 0 --broadcast 1=6_Time
  tensor-layout edit '(6,2):(8,2)' --compose '(4,3):(3,1)'")]
pub(super) struct Edit {
    /// The layout, or - for standard input.
    #[arg(value_name = "LAYOUT")]
    layout: String,
    #[command(flatten)]
    reading: Reading,
    /// The notation to write (by default that of LAYOUT).
    #[arg(long, value_enum, help_heading = "Output")]
    to: Option<NotationArg>,
    #[command(flatten)]
    form: Form,
}

/// A step: its option, and the library call that it makes.
struct EditStep {
    /// The option, as clap and the page know it.
    name: &'static str,
    /// The name of its value in the help.
    value: &'static str,
    help: &'static str,
    apply: Apply,
}

/// The edit of a step; it takes the option, for errors, and the value.
enum Apply {
    One(EditOne),
    Combine(CombineLayouts),
}

type EditOne = fn(&Layout, &str, &str) -> Result<Layout, Failure>;
type CombineLayouts = fn(&Editor, &str, &str) -> Result<Edited, Failure>;

/// A layout after a step, and the modes in which CuTe writes it, where they are known.
pub(super) struct Edited {
    layout: Layout,
    modes: Option<Vec<CuteMode>>,
}

impl From<Layout> for Edited {
    fn from(layout: Layout) -> Edited {
        Edited { layout, modes: None }
    }
}

/// A step that edits one layout.
const fn one(
    name: &'static str,
    value: &'static str,
    help: &'static str,
    edit: EditOne,
) -> EditStep {
    EditStep { name, value, help, apply: Apply::One(edit) }
}

/// A step that combines layouts, or depends on the notation of the layout.
const fn combine(
    name: &'static str,
    value: &'static str,
    help: &'static str,
    combine: CombineLayouts,
) -> EditStep {
    EditStep { name, value, help, apply: Apply::Combine(combine) }
}

const STEPS: [EditStep; 25] = [
    one("permute", "K,L,..", "Reorder the axes, as NumPy's transpose", |layout, option, value| {
        Ok(layout.permute(&axes(option, value)?)?)
    }),
    one("insert", "K", "Insert an axis of extent 1 before axis K", |layout, option, value| {
        Ok(layout.insert_axis(axis(option, value)?)?)
    }),
    one("drop", "K", "Remove axis K, which must have extent 1", |layout, option, value| {
        Ok(layout.drop_axis(axis(option, value)?)?)
    }),
    one(
        "split",
        "K=N,M,..",
        "Split axis K into axes of extents N, M, ..",
        |layout, option, value| {
            let (axis, sizes) = keyed(option, value, "K=N,M,.., such as 0=4,3")?;
            Ok(layout.split_axis(axis, &numbers(option, sizes)?)?)
        },
    ),
    one("merge", "K=COUNT", "Merge COUNT axes, starting with axis K", |layout, option, value| {
        let (first, count) = keyed(option, value, "K=COUNT, such as 0=2")?;
        Ok(layout.merge_axes(first, axis(option, count)?)?)
    }),
    one(
        "reshape",
        "N,M,..",
        "Reshape to the same number of elements; one extent may be -1",
        |layout, option, value| Ok(layout.reshape(&shape(layout, option, value)?)?),
    ),
    one(
        "slice",
        "K=START:STOP[:STEP]",
        "Keep every STEP-th index of axis K; bounds as in Python",
        |layout, option, value| {
            let (axis, bounds) = keyed(option, value, "K=START:STOP[:STEP], such as 0=0:8")?;
            let extent = layout.axes().get(axis).map_or(0, |axis| axis.extent);
            let (start, stop, step) = slice(option, bounds, extent)?;
            Ok(layout.slice(axis, start, stop, step)?)
        },
    ),
    one(
        "broadcast",
        "K=N_LEVEL",
        "Expand axis K of extent 1 to N copies along a level",
        |layout, option, value| {
            let (axis, size, level) = copies(option, value)?;
            Ok(layout.expand(axis, size, level)?)
        },
    ),
    one(
        "tile",
        "K=N[_LEVEL]",
        "Repeat axis K N times, along a level (by default Addr)",
        |layout, option, value| {
            let (axis, size, level) = copies(option, value)?;
            Ok(layout.tile(axis, size, level)?)
        },
    ),
    one(
        "pad",
        "N,M,..",
        "Pad the tensor to a shape; elements keep their places",
        |layout, option, value| Ok(layout.pad_to(&numbers(option, value)?)?),
    ),
    one("minimal-padding", "", "Remove padding that units do not need", |layout, _, _| {
        Ok(layout.with_minimal_padding()?)
    }),
    combine(
        "compose",
        "B|<B,C>",
        "Compose: LAYOUT after B, or mode by mode after those of a tiler <B, C>",
        |editor, _, value| editor.composed(value),
    ),
    combine(
        "inverse",
        "left|right",
        "Invert the layout: from a place to the index",
        Editor::inverted,
    ),
    combine(
        "complement",
        "N|LEVEL=N,..",
        "The complement: the layout of the places left free in a space (by default the smallest possible)",
        |editor, option, value| editor.complemented(&editor.space(option, value)?),
    ),
    combine(
        "complement-rounded",
        "N|LEVEL=N,..",
        "The complement in a space rounded up to a multiple of what the layout fills, as CuTe does",
        |editor, option, value| editor.complemented(&editor.rounded_space(option, value)?),
    ),
    combine(
        "divide",
        "B|<B,C>",
        "Divide into tiles B, or mode by mode into those of a tiler <B, C>",
        |editor, _, value| editor.divided(Arrangement::Logical, value),
    ),
    combine(
        "zipped-divide",
        "B|<B,C>",
        "Divide; all tile axes first, as one CuTe mode, then all others as one",
        |editor, _, value| editor.divided(Arrangement::Zipped, value),
    ),
    combine(
        "tiled-divide",
        "B|<B,C>",
        "Divide; the tile axes as one CuTe mode, then the others",
        |editor, _, value| editor.divided(Arrangement::Tiled, value),
    ),
    combine(
        "flat-divide",
        "B|<B,C>",
        "Divide; the tile axes, then the others",
        |editor, _, value| editor.divided(Arrangement::Flat, value),
    ),
    combine("product", "B", "Multiply by the pattern B", |editor, _, value| {
        editor.multiplied(value)
    }),
    combine(
        "blocked-product",
        "B",
        "Repeat the layout as B arranges the copies, axis by axis, neighbours in one copy",
        |editor, _, value| editor.repeated(value, Repeat::Blocks),
    ),
    combine(
        "raked-product",
        "B",
        "Repeat the layout as B arranges the copies, axis by axis, neighbours in different copies",
        |editor, _, value| editor.repeated(value, Repeat::Interleaved),
    ),
    combine(
        "tile-to-shape",
        "N,M,..",
        "Repeat the layout block by block until it fills a shape",
        |editor, option, value| {
            Ok(editor.layout.as_function(editor.order).tiled_to(&numbers(option, value)?)?.into())
        },
    ),
    one(
        "restrict",
        "LEVEL=N,..",
        "Keep the elements at these coordinates, and drop the coordinates",
        |layout, option, value| {
            let place = location(value)?;
            for (level, _) in place.iter() {
                used_level(layout, option, level.as_str())?;
            }
            Ok(layout.restrict(&place)?.layout)
        },
    ),
    one("project", "LEVEL", "Keep only the coordinates in one level", |layout, option, value| {
        Ok(layout.project(used_level(layout, option, value)?))
    }),
];

/// The steps as options; their order is read off the command line.
pub(super) fn options() -> impl Iterator<Item = Arg> {
    STEPS.iter().map(|step| {
        let arg = Arg::new(step.name)
            .long(step.name)
            .help(step.help)
            .help_heading("Steps, applied in the order given")
            .action(ArgAction::Append);
        match step.name {
            "minimal-padding" => arg.num_args(0).default_missing_value(""),
            "complement" => arg.value_name(step.value).num_args(0..=1).default_missing_value(""),
            "reshape" => arg.value_name(step.value).allow_hyphen_values(true),
            _ => arg.value_name(step.value),
        }
    })
}

impl Edit {
    pub(super) fn run(&self, matches: Option<&ArgMatches>) -> Result<(), Failure> {
        let syntax = self.reading.read(&self.layout)?;
        let mut editor = Editor {
            layout: syntax.lower()?,
            order: syntax.index_order(),
            notation: syntax.notation(),
            lenient: self.reading.is_lenient(),
            is_swizzled: matches!(&syntax, LayoutText::Cute(layout) if layout.outer.is_some()),
            modes: modes(&syntax),
        };
        for (step, value) in matches.map(steps).unwrap_or_default() {
            editor.step(step, value)?;
        }
        let to = self.to.map_or(syntax.edited_notation(), Notation::from);
        check_width(&syntax, to)?;
        let written = syntax.write_edited(&editor.layout, to, dtype(None, &syntax)?);
        print_layout(nested(written, to, editor.modes.as_deref()), &syntax, to, self.form)
    }
}

/// Applies the edit `name` to one layout, and writes the new layout in the notation of the old one.
pub(super) fn edited(syntax: &LayoutText, name: &str, value: &str) -> Result<String, Failure> {
    let edit = STEPS.iter().find(|step| step.name == name);
    let Some(EditStep { apply: Apply::One(edit), .. }) = edit else {
        return Err(Failure::Argument(format!("`{name}` is not an edit of one layout")));
    };
    let layout = edit(&syntax.lower()?, &option(name), value)?;
    rewritten(syntax, &layout)
}

/// Writes a layout in the notation of the one from which it was made.
pub(super) fn rewritten(syntax: &LayoutText, layout: &Layout) -> Result<String, Failure> {
    let (text, _) = syntax.write_edited(layout, syntax.edited_notation(), dtype(None, syntax)?)?;
    Ok(text)
}

/// The steps and their values, in the order of the command line.
fn steps(matches: &ArgMatches) -> Vec<(&'static EditStep, &str)> {
    let mut found = Vec::new();
    for step in &STEPS {
        let values = matches.get_many::<String>(step.name).into_iter().flatten();
        let positions = matches.indices_of(step.name).into_iter().flatten();
        found.extend(
            positions.zip(values).map(|(position, value)| (position, step, value.as_str())),
        );
    }
    found.sort_unstable_by_key(|(position, ..)| *position);
    found.into_iter().map(|(_, step, value)| (step, value)).collect()
}

/// The option of a step as it is typed.
fn option(name: &str) -> String {
    format!("--{name}")
}

struct Editor {
    layout: Layout,
    order: IndexOrder,
    notation: Notation,
    lenient: bool,
    /// Set if the text has a swizzle, even one that moves no element.
    is_swizzled: bool,
    /// The modes in which CuTe writes the layout, where they are known.
    modes: Option<Vec<CuteMode>>,
}

impl Editor {
    fn step(&mut self, step: &EditStep, value: &str) -> Result<(), Failure> {
        let option = option(step.name);
        let edited = match step.apply {
            Apply::One(edit) => edit(&self.layout, &option, value)?.into(),
            Apply::Combine(combine) => combine(self, &option, value)?,
        };
        (self.layout, self.modes) = (edited.layout, edited.modes);
        Ok(())
    }

    /// The modes of the layout: as they are known, or a leaf per axis.
    fn own_modes(&self) -> Vec<CuteMode> {
        let leaf = |extent| CuteMode::Leaf(extent, CuteStride::default());
        let flat = || self.layout.shape().into_iter().map(leaf).collect();
        self.modes.clone().unwrap_or_else(flat)
    }

    /// The other layout of a step.
    fn operand(&self, value: &str) -> Result<LayoutText, Failure> {
        Reading::by_look(self.lenient).read_operand(value)
    }

    /// The layout as a function of the linear index, in notations that define layouts as such functions.
    fn function(&self) -> Option<LinearFunction<'_>> {
        let is_linear = matches!(self.notation, Notation::Cute | Notation::Strided);
        is_linear.then(|| self.layout.as_function(self.order))
    }

    fn composed(&self, value: &str) -> Result<Edited, Failure> {
        if CuteTiler::is_begun_by(value) {
            let tiler = value.parse::<CuteTiler>()?;
            let layout = self.layout.as_function(self.order).compose_modes(&tiler.lower()?)?;
            return Ok(Edited { layout, modes: Some(tiler.modes_of(&self.own_modes())) });
        }
        let other = self.operand(value)?;
        // A tuple of one mode stays one mode.
        let has_modes =
            matches!(&other, LayoutText::Cute(CuteLayout { mode: CuteMode::Tuple(_), .. }));
        let (layout, inner) = (&self.layout, other.lower()?);
        Ok(match self.function() {
            Some(function) if !has_modes => function.compose(&inner)?.into(),
            Some(_) => {
                let layout =
                    layout.as_function(self.order).compose_axes(&inner)?.without_padding()?;
                Edited { layout, modes: modes(&other) }
            }
            None => layout.as_function(self.order).compose_axes(&inner)?.into(),
        })
    }

    fn inverted(&self, option: &str, value: &str) -> Result<Edited, Failure> {
        let inverse = match (value, self.function()) {
            ("left", None) => self.layout.left_inverse()?,
            ("right", None) => self.layout.right_inverse()?,
            ("left", Some(function)) => function.left_inverse()?,
            ("right", Some(function)) => function.right_inverse()?,
            _ => return Err(bad(option, value, "left or right")),
        };
        Ok(inverse.into())
    }

    fn complemented(&self, space: &[(Level, u64)]) -> Result<Edited, Failure> {
        let complement = match self.function() {
            Some(function) => function.complement(space)?,
            None => self.layout.complement(space)?,
        };
        Ok(complement.into())
    }

    /// A division, with its axes grouped into modes as in CuTe.
    fn divided(&self, arrangement: Arrangement, value: &str) -> Result<Edited, Failure> {
        let divided = self.tiled(arrangement, value)?;
        let (elements, filled) = (self.layout.elements(), divided.layout.elements());
        match self.is_swizzled && filled > elements {
            // It may move the elements that are added.
            true => Err(Failure::Argument(format!(
                "the tiles `{value}` fill {filled} elements, but the layout has {elements}: \
                 a swizzled layout must divide evenly"
            ))),
            false => Ok(divided),
        }
    }

    fn tiled(&self, arrangement: Arrangement, value: &str) -> Result<Edited, Failure> {
        let tiler =
            CuteTiler::is_begun_by(value).then(|| value.parse::<CuteTiler>()).transpose()?;
        Ok(match (tiler, self.function()) {
            (Some(tiler), Some(function)) => {
                let layout = function.divide_modes(&tiler.lower()?, arrangement)?;
                let own = self.own_modes();
                let modes = function.modes_divided_by_mode(&own, &tiler, arrangement)?;
                Edited { layout, modes: Some(modes) }
            }
            (None, Some(function)) => {
                let tile = self.operand(value)?;
                let layout = function.divide(&tile.lower()?, arrangement)?;
                let modes = match &tile {
                    LayoutText::Cute(tile) if tile.outer.is_none() => {
                        Some(function.modes_divided(tile, arrangement, &layout)?)
                    }
                    _ => None,
                };
                Edited { layout, modes }
            }
            (Some(tiler), None) => {
                let tiler = self.layout.as_function(self.order).tiler(&tiler.lower()?)?;
                self.layout.as_function(self.order).divide_axes(&tiler, arrangement)?.into()
            }
            (None, None) => self
                .layout
                .as_function(self.order)
                .divide_axes(&self.operand(value)?.lower()?, arrangement)?
                .into(),
        })
    }

    fn multiplied(&self, value: &str) -> Result<Edited, Failure> {
        let pattern = self.operand(value)?;
        let Some(function) = self.function() else {
            return Ok(self.layout.product(&pattern.lower()?, Arrangement::Logical)?.into());
        };
        let layout = function.product(&pattern.lower()?, Arrangement::Logical)?;
        let whole = match &self.own_modes()[..] {
            [CuteMode::Leaf(extent, stride)] => CuteMode::Leaf(*extent, *stride),
            own => CuteMode::Tuple(own.to_vec()),
        };
        let modes = match pattern {
            LayoutText::Cute(pattern) => Some(vec![whole, pattern.mode]),
            _ => None,
        };
        Ok(Edited { layout, modes })
    }

    fn repeated(&self, value: &str, repeat: Repeat) -> Result<Edited, Failure> {
        let pattern = self.operand(value)?.lower()?;
        Ok(self.layout.as_function(self.order).repeated(&pattern, repeat)?.into())
    }

    /// The space of a complement; if none is given, the smallest possible.
    fn space(&self, option: &str, value: &str) -> Result<Vec<(Level, u64)>, Failure> {
        if value.is_empty() {
            return Ok(self.layout.complement_space()?);
        }
        if value.contains('=') {
            return Ok(location(value)?.iter().collect());
        }
        match numbers(option, value)?[..] {
            [size] => Ok(vec![(Level::ADDR, size)]),
            _ => Err(bad(option, value, "N or LEVEL=N,..")),
        }
    }

    /// The space of a complement, each level rounded up to whole blocks.
    fn rounded_space(&self, option: &str, value: &str) -> Result<Vec<(Level, u64)>, Failure> {
        let mut space = self.space(option, value)?;
        let blocks = self.layout.complement_space()?;
        for (level, size) in &mut space {
            let block = blocks.iter().find(|(of, _)| of == level);
            let rounded = block.and_then(|(_, block)| size.checked_next_multiple_of(*block));
            *size = rounded.unwrap_or(*size);
        }
        Ok(space)
    }
}
