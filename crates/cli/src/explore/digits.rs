//! The digits of a layout: the parts of its text that cells, the formula and the code have in common.

use serde_json::{Value, json};
use tensor_layout::algebra::{Axis, Combine, Subaxis, Target};
use tensor_layout::notation::SubaxisText;
use tensor_layout::{Layout, LayoutText};

/// Every digit of every axis with its place in the number of the axis, and the term of the formula that it
/// adds; those of derived axes have the number of their axis as text. A PadLayout writes its digits: their places in
/// the typed text are `span`.
pub(super) fn digits_json(layout: &Layout, syntax: &LayoutText, typed: &str) -> Value {
    let axes = layout.axes().iter().enumerate();
    let axes = axes.map(|(at, axis)| digits_of(layout, axis, &format!("i{at}"), Some(at)));
    let derived = layout.derived_axes().iter().enumerate();
    let derived = derived.map(|(at, of)| digits_of(layout, &of.axis, &format!("d{at}"), None));
    let mut digits: Vec<Value> = axes.chain(derived).flatten().collect();
    let spans = spans(layout, syntax, typed);
    for (digit, span) in digits.iter_mut().zip(spans) {
        digit["span"] = json!(span);
    }
    Value::Array(digits)
}

/// The place of each digit in the typed text, if all are written there. Only ASCII is counted by browsers as here.
fn spans(layout: &Layout, syntax: &LayoutText, typed: &str) -> Vec<[usize; 2]> {
    let LayoutText::PadLayout(tree) = syntax else { return Vec::new() };
    let of = |axis: &Axis| axis.subaxes.iter().map(|digit| digit.size).collect::<Vec<_>>();
    let digits: Vec<u64> = layout.axes().iter().flat_map(of).collect();
    let written: Vec<&SubaxisText> = tree.axes.iter().flat_map(|axis| &axis.subaxes).collect();
    let blanks = typed.len() - typed.trim_start().len();
    let are_all = written.iter().map(|digit| digit.size).eq(digits);
    if !are_all || !layout.derived_axes().is_empty() || !typed.is_ascii() {
        return Vec::new();
    }
    let spans = written.iter().map(|digit| digit.span());
    spans.map(|span| [span.start + blanks, span.end + blanks]).collect()
}

fn digits_of(layout: &Layout, axis: &Axis, name: &str, number: Option<usize>) -> Vec<Value> {
    let mut weight = axis.slots();
    let mut digits = Vec::new();
    for (at, subaxis) in axis.subaxes.iter().enumerate() {
        weight /= subaxis.size.max(1);
        let digit = digit(name, weight, subaxis.size, at == 0);
        digits.push(json!({
            "axis": number,
            "name": name,
            "weight": weight.to_string(),
            "size": subaxis.size.to_string(),
            "to": to(subaxis),
            "text": text(subaxis),
            "term": term(layout, subaxis, &digit),
        }));
    }
    digits
}

/// The value of a digit as a formula: `i0 / 4 % 3`.
fn digit(name: &str, weight: u64, size: u64, is_first: bool) -> String {
    let quotient = if weight > 1 { format!("{name} / {weight}") } else { name.to_owned() };
    if is_first { quotient } else { format!("{quotient} % {size}") }
}

/// The level or the derived axis that a digit adds to.
fn to(subaxis: &Subaxis) -> String {
    match subaxis.target {
        Target::Land { level, .. } => level.to_string(),
        Target::Feed { derived, .. } => format!("d{derived}"),
    }
}

/// The digit as a PadLayout writes it: `3_PE:7`.
fn text(subaxis: &Subaxis) -> String {
    let (size, to) = (subaxis.size, to(subaxis));
    match subaxis.target {
        Target::Land { level, stride } if level == tensor_layout::Level::ADDR => {
            format!("{size}:{stride}")
        }
        Target::Land { stride: step, .. } | Target::Feed { weight: step, .. } => {
            format!("{size}_{to}:{step}")
        }
    }
}

/// The term that a digit adds to a place: `Addr += 7 x (i0 / 4)`.
fn term(layout: &Layout, subaxis: &Subaxis, digit: &str) -> String {
    let (step, sign) = match subaxis.target {
        Target::Land { stride, .. } => (stride, "+="),
        Target::Feed { derived, weight } => {
            let of = layout.derived_axes().get(derived).map(|of| of.combine);
            (weight, if of == Some(Combine::Xor) { "^=" } else { "+=" })
        }
    };
    format!("{} {sign} {step} x ({digit})", to(subaxis))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// For every index, the terms of the digits sum to its place.
    #[test]
    fn the_terms_of_the_digits_add_up_to_the_place() {
        for text in ["((4_PE, 3:8), (8:1))", "(10,7)/((3:7, 4_PE), (7:1))", "((2:5, 3_PE:2, 2:1))"]
        {
            let layout: Layout = text.parse().unwrap();
            let digits = digits_json(&layout, &LayoutText::parse(text).unwrap(), text);
            for index in layout.indexes() {
                let mut place = tensor_layout::Location::default();
                for digit in digits.as_array().unwrap() {
                    let number = |key: &str| digit[key].as_str().unwrap().parse::<u64>().unwrap();
                    let axis = usize::try_from(digit["axis"].as_u64().unwrap()).unwrap();
                    let value = index[axis] / number("weight") % number("size");
                    let term = digit["term"].as_str().unwrap();
                    let step: u64 = term.split(' ').nth(2).unwrap().parse().unwrap();
                    let level = tensor_layout::Level::new(digit["to"].as_str().unwrap()).unwrap();
                    place.set(level, place.get(level).unwrap_or(0) + step * value);
                }
                let of = layout.locate(&index).unwrap();
                assert!(
                    of.iter().all(|(level, at)| place.get(level) == Some(at)),
                    "{text} {index:?}"
                );
            }
        }
    }

    #[test]
    fn the_digits_of_a_pad_layout_are_where_it_writes_them() {
        let written = |typed: &str| {
            let syntax = LayoutText::parse(typed.trim()).unwrap();
            let digits = digits_json(&syntax.lower().unwrap(), &syntax, typed);
            let span = |digit: &Value| {
                let [from, to] = [0, 1].map(|at| digit["span"][at].as_u64());
                let at = |of: Option<u64>| usize::try_from(of.unwrap()).unwrap();
                typed[at(from)..at(to)].to_owned()
            };
            let digits = digits.as_array().unwrap();
            assert!(digits.iter().all(|digit| digit["span"].is_null()) || typed.contains("(("));
            digits.iter().filter(|digit| !digit["span"].is_null()).map(span).collect::<Vec<_>>()
        };
        assert_eq!(written("  (10,7)/((3:7, 4_PE), (7:1))"), ["3:7", "4_PE", "7:1"]);
        assert_eq!(written("((2_L2B:1,1:1), (4:1); B@[4_PE])"), ["2_L2B:1", "1:1", "4:1"]);
        assert_eq!(written("(4,8):(8,1)"), [""; 0]);
        assert_eq!(written("bf16[10,130]{1,0:T(8,128)(2,1)}"), [""; 0]);
    }
}
