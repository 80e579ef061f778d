//! The conversion of the tokens of a text of Triton to its layout: aliases resolved, the only layout chosen.

use std::collections::HashMap;
use std::str::FromStr;
use std::sync::Arc;

use itertools::Itertools;
use pest::iterators::Pair;

use super::bases::LinearLayout;
use super::tree::{
    Attribute, ENCODINGS, TensorType, TritonEntry, TritonLayout, TritonMeaning, TritonMemory, Value,
};
use crate::error::{ParseError, ParseErrorKind, Span, did_you_mean};
use crate::text::pairs::{children, grammar, number, span, tokens};
use crate::text::refusal::check_depth;
use crate::text::written::NotCompared;
use crate::words::counted;

grammar!("text/triton/triton.pest");

use grammar::Rule;

/// The greatest depth of encodings and lists.
const MAX_DEPTH: usize = 64;

/// The number of layouts of a module that an error lists.
const MOST_LISTED: usize = 6;

impl FromStr for TritonLayout {
    type Err = ParseError;

    /// Parses a layout of Triton. Cost: linear in the text.
    fn from_str(text: &str) -> Result<TritonLayout, ParseError> {
        check_depth(text, MAX_DEPTH, [b"<[", b">]"])?;
        let mut items = TritonItems { text, ..TritonItems::default() };
        let parts = tokens(Rule::text, text);
        for part in parts.map_err(|stop| stop.refuse(text, None))? {
            items.add(part)?;
        }
        let source = NotCompared(text.into());
        Ok(TritonLayout { said: items.said()?, source })
    }
}

/// The items of a text.
#[derive(Debug, Default)]
struct TritonItems<'t> {
    text: &'t str,
    aliases: HashMap<&'t str, Arc<Attribute>>,
    /// Aliases of encodings that are not read.
    unread: HashMap<&'t str, Pair<'t, Rule>>,
    /// Types with an encoding, each once.
    typed: Vec<(Arc<Attribute>, TensorType)>,
    /// The last type without one.
    without: Option<Span>,
    /// Encodings that are not part of a type.
    alone: Vec<Arc<Attribute>>,
    linear: Option<LinearLayout>,
}

impl<'t> TritonItems<'t> {
    /// Takes the next token of the text.
    fn add(&mut self, part: Pair<'t, Rule>) -> Result<(), ParseError> {
        match part.as_rule() {
            Rule::alias => self.add_alias(part)?,
            Rule::attribute => {
                let attribute = self.attribute(part)?;
                self.alone.push(attribute);
            }
            Rule::tensor | Rule::memdesc => self.add_type(part)?,
            Rule::linear => self.linear = Some(linear(part, self.text)?),
            _ => {}
        }
        Ok(())
    }

    fn add_alias(&mut self, part: Pair<'t, Rule>) -> Result<(), ParseError> {
        let mut parts = part.into_inner().filter(|part| part.as_rule() != Rule::equals);
        let (Some(name), Some(encoding)) = (parts.next(), parts.next()) else { return Ok(()) };
        let name = name.as_str();
        self.aliases.remove(name);
        self.unread.remove(name);
        if encoding.as_rule() == Rule::attribute {
            let attribute = self.attribute(encoding)?;
            self.aliases.insert(name, attribute);
        } else {
            // An error only where a layout uses it.
            self.unread.insert(name, encoding);
        }
        Ok(())
    }

    fn add_type(&mut self, part: Pair<'t, Rule>) -> Result<(), ParseError> {
        let (whole, is_memory) = (span(&part), part.as_rule() == Rule::memdesc);
        let memory = is_memory.then(TritonMemory::default);
        let span = NotCompared(whole);
        let mut of = TensorType { shape: Vec::new(), element: None, memory, span };
        let mut encoding = None;
        for part in part.into_inner() {
            match part.as_rule() {
                Rule::extents => of.shape = self.extents(part)?,
                Rule::element => of.element = Some(part.as_str().into()),
                Rule::attribute | Rule::foreign | Rule::hash_name => {
                    encoding = Some(self.encoding(part)?);
                }
                _ => {
                    if let Some(memory) = &mut of.memory {
                        self.add_memory(memory, part)?;
                    }
                }
            }
        }
        match encoding {
            None => self.without = Some(whole),
            Some(encoding) => {
                let found = (encoding, of);
                if !self.typed.contains(&found) {
                    self.typed.push(found);
                }
            }
        }
        Ok(())
    }

    fn add_memory(
        &self,
        memory: &mut TritonMemory,
        part: Pair<'t, Rule>,
    ) -> Result<(), ParseError> {
        match part.as_rule() {
            Rule::mutable => memory.is_mutable = true,
            Rule::allocated => memory.allocated = Some(self.extents(part)?),
            Rule::space => {
                let space = part.into_inner().next();
                // The name of a memory does not change where elements are, so an unknown alias is ignored.
                memory.space = space.and_then(|space| self.encoding(space).ok());
            }
            _ => {}
        }
        Ok(())
    }

    fn extents(&self, part: Pair<'t, Rule>) -> Result<Vec<u64>, ParseError> {
        let extent = |part: Pair<'_, Rule>| match part.as_rule() {
            Rule::number => number(&part, self.text),
            _ => {
                let message = "the extent is not known: a layout is for one shape".into();
                Err(self.refuse(span(&part), message).with_help("give the extent"))
            }
        };
        part.into_inner().map(extent).try_collect()
    }

    /// The encoding, or the one that an alias names.
    fn encoding(&self, part: Pair<'t, Rule>) -> Result<Arc<Attribute>, ParseError> {
        match part.as_rule() {
            Rule::attribute => return self.attribute(part),
            Rule::foreign => return Err(self.refuse_unread(&part)),
            _ => {}
        }
        let name = part.as_str();
        if let Some(encoding) = self.aliases.get(name) {
            return Ok(Arc::clone(encoding));
        }
        if let Some(encoding) = self.unread.get(name) {
            return Err(self.refuse_unread(encoding));
        }
        let refusal = self.refuse(span(&part), format!("the alias `{name}` is not defined"));
        let near = did_you_mean(name, self.aliases.keys().copied().sorted());
        let own = || format!("put its line, `{name} = #ttg...`, in front of the type");
        Err(refusal.with_help(near.unwrap_or_else(own)))
    }

    /// The error for an encoding of another dialect, or one of Triton's that is not read to its end.
    fn refuse_unread(&self, part: &Pair<'t, Rule>) -> ParseError {
        let (place, encoding) = (span(part), part.as_str());
        let whole = tokens(Rule::whole_attribute, encoding);
        if part.as_rule() == Rule::malformed
            && let Err(stop) = whole
        {
            return stop.refuse(encoding, None).within(self.text, place.start);
        }
        let name = encoding.split('<').next().unwrap_or(encoding).trim_end();
        self.refuse_name(place, name)
    }

    /// The error for an encoding of another dialect.
    fn refuse_name(&self, place: Span, name: &str) -> ParseError {
        let refusal = self.refuse(place, format!("the encoding `{name}` is not supported"));
        match name {
            "#tpu.vpad" => refusal.with_help(
                "it spreads a vector over registers of a TPU: bits, offsets of sublane and lane, tile; \
                 a layout in memory is that of `memref<16x256xf32, #tpu.tiled<(8,128),[2,1]>>`",
            ),
            "#tpu.tiled" => refusal
                .with_help("write the type, `memref<16x256xf32, #tpu.tiled<(8,128),[2,1]>>`"),
            _ => refusal.with_help(format!("supported encodings: {}", ENCODINGS.replace(' ', ", "))),
        }
    }

    fn attribute(&self, part: Pair<'t, Rule>) -> Result<Arc<Attribute>, ParseError> {
        let mut attribute = Attribute { span: NotCompared(span(&part)), ..Attribute::default() };
        for part in part.into_inner() {
            match part.as_rule() {
                Rule::name => attribute.name = part.as_str().into(),
                Rule::open => attribute.has_body = true,
                Rule::intervals => attribute.intervals = self.intervals(part)?,
                Rule::dict => {
                    attribute.has_braces = true;
                    attribute.entries = self.entries(part)?;
                }
                Rule::outside => attribute.outside.extend(self.entries(part)?),
                _ => {}
            }
        }
        self.check_parents(&attribute)?;
        attribute.depth = NotCompared(self.depth(&attribute)?);
        Ok(Arc::new(attribute))
    }

    /// The nesting depth: one more than that of the deepest encoding inside, which may be an alias.
    fn depth(&self, attribute: &Attribute) -> Result<usize, ParseError> {
        let entries = attribute.entries.iter().chain(&attribute.outside);
        let inside = entries.filter_map(|entry| match &entry.value {
            Value::Attribute(inside) => Some(inside.depth.0),
            _ => None,
        });
        match inside.max().map_or(1, |depth| depth + 1) {
            depth if depth > MAX_DEPTH => {
                let kind = ParseErrorKind::TooDeep(MAX_DEPTH);
                Err(ParseError::new(kind, attribute.span.0, self.text))
            }
            depth => Ok(depth),
        }
    }

    fn intervals(&self, part: Pair<'t, Rule>) -> Result<Vec<(u64, u64)>, ParseError> {
        let numbers = part.into_inner().flatten().filter(|part| part.as_rule() == Rule::number);
        let numbers: Vec<u64> = numbers.map(|part| number(&part, self.text)).try_collect()?;
        Ok(numbers.into_iter().tuples().collect())
    }

    fn entries(&self, part: Pair<'t, Rule>) -> Result<Vec<TritonEntry>, ParseError> {
        let mut entries: Vec<TritonEntry> = Vec::new();
        for pair in children(part, Rule::pair) {
            let whole = span(&pair);
            let mut parts = pair.into_inner().filter(|part| part.as_rule() != Rule::equals);
            let (Some(key), Some(value)) = (parts.next(), parts.next()) else { continue };
            if let Some(other) = entries.iter().find(|entry| *entry.key == *key.as_str()) {
                let refusal = self.refuse(whole, format!("`{}` was given already", key.as_str()));
                return Err(refusal.with_related(Some(other.span.0)));
            }
            let value = self.value(value)?;
            entries.push(TritonEntry { key: key.as_str().into(), value, span: NotCompared(whole) });
        }
        Ok(entries)
    }

    /// Rejects an encoding that contains more than one other: aliases that each use another one twice would
    /// grow exponentially.
    fn check_parents(&self, attribute: &Attribute) -> Result<(), ParseError> {
        let entries = attribute.entries.iter().chain(&attribute.outside);
        let mut inside = entries.filter(|entry| matches!(entry.value, Value::Attribute(_)));
        let is_part = |entry: &&TritonEntry| matches!(&*entry.key, "parent" | "partitionLayout");
        let wrong = match inside.next() {
            Some(entry) if is_part(&entry) => inside.next(),
            first => first,
        };
        let Some(entry) = wrong else { return Ok(()) };
        let message = format!("`{}` is an encoding: only `parent` is", entry.key);
        Err(self.refuse(entry.span.0, message))
    }

    fn value(&self, part: Pair<'t, Rule>) -> Result<Value, ParseError> {
        Ok(match part.as_rule() {
            Rule::number => Value::Number(number(&part, self.text)?),
            Rule::boolean => Value::Boolean(part.as_str() == "true"),
            Rule::word => Value::Word(part.as_str().into()),
            Rule::dict => {
                let (whole, entries) = (span(&part), self.entries(part)?);
                self.check_plain(whole, entries.iter().map(|entry| &entry.value))?;
                Value::Dict(entries)
            }
            Rule::list => {
                let whole = span(&part);
                let values = part.into_inner().filter(|part| part.as_rule() != Rule::comma);
                let values: Vec<Value> = values.map(|value| self.value(value)).try_collect()?;
                self.check_plain(whole, &values)?;
                Value::List(values)
            }
            _ => Value::Attribute(self.encoding(part)?),
        })
    }

    /// Rejects encodings among the values of a list or a dictionary.
    fn check_plain<'v>(
        &self,
        whole: Span,
        values: impl IntoIterator<Item = &'v Value>,
    ) -> Result<(), ParseError> {
        match values.into_iter().any(|value| matches!(value, Value::Attribute(_))) {
            true => Err(self.refuse(whole, "an encoding cannot be in a list".into())),
            false => Ok(()),
        }
    }

    /// The one layout of the text.
    fn said(mut self) -> Result<TritonMeaning, ParseError> {
        if let Some(linear) = self.linear.take() {
            return Ok(TritonMeaning::Linear(linear));
        }
        match &self.typed[..] {
            [] => self.untyped(),
            [(encoding, of)] => Ok(TritonMeaning::Encoding(Arc::clone(encoding), Some(of.clone()))),
            [_, (_, second), ..] => Err(self.several(second.span.0)),
        }
    }

    /// The one encoding of a text without types.
    fn untyped(&self) -> Result<TritonMeaning, ParseError> {
        if let Some(span) = self.without {
            let message = "the type has no encoding, so it does not give a layout".into();
            return Err(self.refuse(span, message));
        }
        let aliases = self.aliases.values().sorted_by_key(|alias| alias.span.0.start);
        let alone = self.alone.iter().chain(aliases.filter(|_| self.alone.is_empty()));
        let alone = alone.collect_vec();
        match alone[..] {
            [] => {
                let whole = Span::new(0, self.text.len());
                let name =
                    self.text.trim_start().split(['<', ' ', '\n']).next().unwrap_or_default();
                Err(match name.starts_with('#') && name.contains('.') {
                    true => self.refuse_name(whole, name),
                    false => self.refuse(whole, "the text has no type with an encoding".into()),
                })
            }
            [encoding] => Ok(TritonMeaning::Encoding(Arc::clone(encoding), None)),
            [_, second, ..] => {
                let message = format!(
                    "the text has {}, but no type that says which is meant",
                    counted(alone.len(), "encoding")
                );
                let refusal = self.refuse(second.span.0, message);
                Err(refusal.with_help("add a type, as in `tensor<128x64xf16, #blocked>`"))
            }
        }
    }

    /// The error for a module with more than one layout, which lists them and points at the second.
    fn several(&self, second: Span) -> ParseError {
        let listed = self.typed.iter().take(MOST_LISTED).map(|(encoding, of)| {
            let said = TritonMeaning::Encoding(Arc::clone(encoding), Some(of.clone()));
            TritonLayout { said, source: NotCompared::default() }.to_string()
        });
        let more = if self.typed.len() > MOST_LISTED { ", .." } else { "" };
        let listed = format!("pass one of {}{more}", listed.format(", "));
        let message = format!("the text has {}", counted(self.typed.len(), "layout"));
        self.refuse(second, message).with_help(listed)
    }

    fn refuse(&self, span: Span, message: String) -> ParseError {
        ParseError::invalid(message, span, self.text)
    }
}

/// Reads the lines of a layout.
fn linear(part: Pair<'_, Rule>, text: &str) -> Result<LinearLayout, ParseError> {
    let mut layout = LinearLayout::default();
    let mut firsts = Vec::new();
    for part in part.into_inner() {
        match part.as_rule() {
            Rule::input => {
                let (whole, read) = (span(&part), input(part, text)?);
                if layout.bases.iter().any(|(name, _)| *name == read.0) {
                    let message = format!("the input `{}` was given already", read.0);
                    return Err(ParseError::invalid(message, whole, text));
                }
                firsts.push(whole);
                layout.bases.push(read);
            }
            Rule::outs => {
                layout.outs =
                    children(part, Rule::out).map(|part| out(part, text)).try_collect()?;
            }
            _ => {}
        }
    }
    for ((_, bases), span) in layout.bases.iter().zip(firsts) {
        if let Some(basis) = bases.iter().find(|basis| basis.len() != layout.outs.len()) {
            let (found, wanted) = (basis.len(), layout.outs.len());
            let message =
                format!("a basis has {found} coordinates, but there are {wanted} out dims");
            return Err(ParseError::invalid(message, span, text));
        }
    }
    Ok(layout.sorted())
}

/// An input with its bases; those of 1, 2, 4, .. must follow each other.
fn input(part: Pair<'_, Rule>, text: &str) -> Result<(String, Vec<Vec<u64>>), ParseError> {
    let (mut found, mut bases) = (String::new(), Vec::new());
    for part in part.into_inner().filter(|part| part.as_rule() != Rule::dash) {
        let whole = span(&part);
        let inside: Vec<Pair<'_, Rule>> = part.into_inner().collect();
        let name = inside.first().map_or("", Pair::as_str);
        if !found.is_empty() && found != name {
            let message = format!("a basis of `{name}` is under `{found}`");
            return Err(
                ParseError::invalid(message, whole, text).with_help("begin an input with `-`")
            );
        }
        found = name.into();
        let numbered = inside.iter().find(|part| part.as_rule() == Rule::number);
        let Some(numbered) = numbered else { continue };
        let bit = number(numbered, text)?;
        if 1_u64.checked_shl(u32::try_from(bases.len()).unwrap_or(u32::MAX)) != Some(bit) {
            let message = "bases are those of 1, 2, 4, .. in this order";
            return Err(ParseError::invalid(message, span(numbered), text));
        }
        let coordinate = inside.iter().find(|part| part.as_rule() == Rule::coordinate);
        let numbers = coordinate.cloned().into_iter().flat_map(|at| children(at, Rule::number));
        bases.push(numbers.map(|part| number(&part, text)).try_collect()?);
    }
    Ok((found, bases))
}

fn out(part: Pair<'_, Rule>, text: &str) -> Result<(String, u64), ParseError> {
    let parts: Vec<Pair<'_, Rule>> = part.into_inner().collect();
    let name = parts.first().map_or("", Pair::as_str);
    let size = parts.iter().find(|part| part.as_rule() == Rule::number);
    Ok((name.into(), size.map_or(Ok(1), |size| number(size, text))?))
}
