//! The statements of a module as they are written.

use itertools::Itertools;
use tensor_layout::LayoutError;
use tensor_layout::error::fault;
use tensor_layout_words::Walk;
use tensor_layout_words::mlir::{bracketed, parts};

use crate::program::Dims;

/// A function.
#[derive(Clone, Debug)]
pub(super) struct Function<'t> {
    pub(super) name: &'t str,
    /// The arguments: names, types, attributes.
    pub(super) arguments: Vec<(&'t str, Dims, &'t str)>,
    /// The results: types and attributes.
    pub(super) results: Vec<(Dims, &'t str)>,
    pub(super) body: Vec<Statement<'t>>,
}

/// A statement: results, the operation with all that follows it, and the statements inside it.
#[derive(Clone, Debug)]
pub(super) struct Statement<'t> {
    /// The names of its results: `%3`, or `%3#0` and `%3#1`.
    pub(super) results: Vec<String>,
    /// The name of the operation, such as `stablehlo.add`.
    pub(super) name: &'t str,
    /// All that follows the sign of equality.
    pub(super) text: &'t str,
    /// The same without regions: their braces are empty.
    pub(super) head: String,
    /// The names of its operands.
    pub(super) operands: Vec<String>,
    /// The types of its results.
    pub(super) types: Vec<Dims>,
    /// The statements in braces, region by region.
    pub(super) regions: Vec<Vec<Statement<'t>>>,
}

/// The functions of a module, and its name.
pub(super) fn functions(text: &str) -> Result<(&str, Vec<Function<'_>>), LayoutError> {
    let mut name = "";
    let mut inside = text;
    for statement in split(text) {
        if let Some(rest) = statement.strip_prefix("module") {
            name = rest.trim_start().strip_prefix('@').map_or("", symbol);
            inside = braces(rest).next_back().ok_or_else(|| unclosed("the module"))?;
        }
    }
    let functions = split(inside).into_iter().filter(|of| of.starts_with("func.func"));
    let functions: Vec<_> = functions.map(function).try_collect()?;
    match (functions.is_empty(), text.trim_start().starts_with("HloModule")) {
        (true, true) => Err(fault!(
            Unsupported,
            "this is HLO, whose operations are fused and parts of other shapes already: plan what it was lowered from",
            []
        )),
        (true, false) => Err(fault!(Missing, "this text has no function of StableHLO", [])),
        (false, _) => Ok((name, functions)),
    }
}

fn function(text: &str) -> Result<Function<'_>, LayoutError> {
    let error = || unclosed("a function");
    let name = symbol(text.split_once('@').ok_or_else(error)?.1);
    let start = text.find('(').ok_or_else(error)?;
    let arguments = group(&text[start..]).ok_or_else(error)?;
    let rest = &text[start + arguments.len() + 2..];
    let body = braces(rest).next_back().ok_or_else(error)?;
    let before = &rest[..offset(rest, body).saturating_sub(1)];
    let results = before.trim().strip_prefix("->").map_or("", str::trim);
    let results = match group(results) {
        Some(inner) if results.starts_with('(') => inner,
        _ => results.split(" attributes").next().unwrap_or(results),
    };
    let arguments = parts(arguments).map(|of| {
        let (name, rest) = of.split_once(':').unwrap_or(("", of));
        let (kind, attributes) = with_attributes(rest.trim());
        Ok((name.trim(), Dims::read(kind)?, attributes))
    });
    let results = parts(results).map(|of| {
        let (kind, attributes) = with_attributes(of);
        Ok((Dims::read(kind)?, attributes))
    });
    let arguments: Vec<_> = arguments.collect::<Result<_, LayoutError>>()?;
    let results: Vec<_> = results.collect::<Result<_, LayoutError>>()?;
    Ok(Function { name, arguments, results, body: body_of(body)? })
}

/// A type, and the attributes in braces after it.
fn with_attributes(text: &str) -> (&str, &str) {
    let end = text.find(" {").unwrap_or(text.len());
    (text[..end].trim(), text[end..].trim())
}

fn body_of(text: &str) -> Result<Vec<Statement<'_>>, LayoutError> {
    split(text).into_iter().filter(|of| !of.starts_with('^')).map(statement).collect()
}

fn statement(whole: &str) -> Result<Statement<'_>, LayoutError> {
    let (results, text) = match whole.split_once(" = ") {
        Some((results, text)) if results.starts_with('%') => (names_of_results(results), text),
        _ => (Vec::new(), whole),
    };
    let name = text.trim_start_matches('"');
    let end = name.find(|c: char| !(c.is_alphanumeric() || "._".contains(c)));
    let name = &name[..end.unwrap_or(name.len())];
    let (head, inside) = without_regions(text);
    let (before, types) = types(&head);
    let operands = operands(before);
    let types: Vec<_> = types.into_iter().map(Dims::read).try_collect()?;
    let types = match types.len() {
        // One type for operands and result.
        count if count > results.len() => types[count - results.len()..].to_vec(),
        _ => types,
    };
    let regions: Vec<_> = inside.into_iter().map(body_of).try_collect()?;
    Ok(Statement { results, name, text, operands, types, regions, head })
}

/// `%3`, or `%3:2`, whose parts are `%3#0` and `%3#1`, or several names.
fn names_of_results(text: &str) -> Vec<String> {
    let parts = text.split(',').map(str::trim);
    let names = parts.flat_map(|part| match part.split_once(':') {
        Some((name, count)) => {
            (0..count.parse().unwrap_or(1_usize)).map(|at| format!("{name}#{at}")).collect()
        }
        None => vec![part.to_owned()],
    });
    names.collect()
}

/// The statement with empty braces in place of regions, and the regions.
fn without_regions(text: &str) -> (String, Vec<&str>) {
    let (mut head, mut inside, mut from) = (String::new(), Vec::new(), 0);
    for region in braces(text).filter(|of| of.contains('\n')) {
        let at = offset(text, region);
        head.push_str(&text[from..at]);
        inside.push(region);
        from = at + region.len();
    }
    head.push_str(&text[from..]);
    (head, inside)
}

/// The part before the types, and the types of the results; of one type for all, that.
fn types(head: &str) -> (&str, Vec<&str>) {
    let Some(at) = colon(head) else { return (head, Vec::new()) };
    let (before, types) = (&head[..at], &head[at + 3..]);
    let end = ["\n", " loc("].iter().filter_map(|end| types.find(end)).min();
    let types = types[..end.unwrap_or(types.len())].trim();
    let types =
        ["reducer(", "cond {"].iter().fold(types, |of, end| of.split(end).next().unwrap_or(of));
    let results = types.rsplit_once("->").map_or(types, |(_, results)| results).trim();
    let results = match group(results) {
        Some(inner) if results.starts_with('(') => inner,
        _ => results,
    };
    (before, parts(results).collect())
}

/// The place of the ` : ` before the types: the first one outside of brackets and strings.
fn colon(head: &str) -> Option<usize> {
    let mut walk = Walk::from(0);
    let colons = std::iter::from_fn(|| walk.next(head.as_bytes(), Some(b':')));
    let mut starts = colons.filter_map(|at| at.checked_sub(1));
    starts.find(|at| head.get(*at..).is_some_and(|rest| rest.starts_with(" : ")))
}

/// The names before the types, those of `name = name` by the right side.
fn operands(text: &str) -> Vec<String> {
    let named = names(text).filter(|name| {
        let end = offset(text, name) + name.len();
        !text[end..].starts_with(" = ")
    });
    named.map(str::to_owned).collect()
}

/// The names of tensors in a text.
pub(super) fn names(text: &str) -> impl Iterator<Item = &str> {
    let starts = text.match_indices('%').map(|(at, _)| at);
    starts.map(|at| {
        let is_part = |c: char| c.is_alphanumeric() || "_#".contains(c);
        let end = text[at + 1..].find(|c: char| !is_part(c)).map_or(text.len(), |of| at + 1 + of);
        &text[at..end]
    })
}

/// The statements of a text; what belongs to one is on its line, in its brackets or after them.
fn split(text: &str) -> Vec<&str> {
    let mut walk = Walk::from(0);
    let ends = std::iter::from_fn(|| walk.next(text.as_bytes(), Some(b'\n')));
    let ends = ends.filter(|at| {
        let next = text[*at..].trim_start();
        let goes_on =
            ["cond {", "do {", "reducer(", "}", "{"].iter().any(|of| next.starts_with(of));
        text[*at..].starts_with('\n') && !goes_on
    });
    let ends = ends.collect_vec();
    let starts = [0].into_iter().chain(ends.iter().copied());
    let statements = starts.zip(ends.iter().copied().chain([text.len()]));
    statements.map(|(start, end)| text[start..end].trim()).filter(|of| !of.is_empty()).collect()
}

/// What is in braces at the outermost level of a text, in order.
fn braces(text: &str) -> impl DoubleEndedIterator<Item = &str> {
    let (mut found, mut start) = (Vec::new(), 0);
    let mut is_text = false;
    let mut open = 0_usize;
    for (at, character) in text.char_indices() {
        match character {
            '"' => is_text = !is_text,
            _ if is_text => {}
            '{' => {
                start = if open == 0 { at + 1 } else { start };
                open += 1;
            }
            '}' => {
                open = open.saturating_sub(1);
                if open == 0 {
                    found.push(&text[start..at]);
                }
            }
            _ => {}
        }
    }
    found.into_iter()
}

/// The inside of the brackets with which a text begins.
fn group(text: &str) -> Option<&str> {
    bracketed(text).map(|(inner, _)| inner)
}

/// A name after `@`.
pub(super) fn symbol(text: &str) -> &str {
    let text = text.trim_start_matches('"');
    let end = text.find(|c: char| !(c.is_alphanumeric() || "._$-".contains(c)));
    &text[..end.unwrap_or(text.len())]
}

/// The place of a part in the text that it is from.
pub(super) fn offset(text: &str, part: &str) -> usize {
    part.as_ptr().addr().saturating_sub(text.as_ptr().addr())
}

fn unclosed(of: &str) -> LayoutError {
    fault!(Invalid, "{of} of this StableHLO text is not closed", [])
}
