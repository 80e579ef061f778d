//! Bars with their names and numbers, as a list.

use tensor_layout_hlo::HloBytes;
use tensor_layout_words::{percent, readable_bytes};

use crate::svg::escaped;

/// A bar, its name and the lines of text below it.
pub(super) struct Bar {
    pub(super) name: String,
    pub(super) number: String,
    /// Its parts: their classes and lengths.
    pub(super) parts: Vec<(&'static str, u64)>,
    pub(super) lines: Vec<String>,
}

impl Bar {
    /// The bar of one number of bytes that move.
    pub(super) fn moved(name: String, bytes: u64) -> Bar {
        let number = readable_bytes(bytes);
        Bar { name, number, parts: vec![("moved", bytes)], lines: Vec::new() }
    }

    /// The bar of allocated bytes: elements, then padding, which is called `waste` where sums of results are listed.
    pub(super) fn allocated(name: String, bytes: HloBytes, padding: &str) -> Bar {
        let [unpadded, waste] = [bytes.unpadded, bytes.padding()].map(readable_bytes);
        let share = percent(bytes.padding(), bytes.allocated);
        Bar {
            name,
            number: readable_bytes(bytes.allocated),
            parts: vec![("elements", bytes.unpadded), ("padding", bytes.padding())],
            lines: vec![format!("{waste} {padding} ({share}), {unpadded} elements")],
        }
    }

    /// Adds lines of text; empty ones are left out.
    pub(super) fn and(mut self, lines: impl IntoIterator<Item = String>) -> Bar {
        let lines = lines.into_iter().map(|line| line.trim_end().to_owned());
        self.lines.extend(lines.filter(|line| !line.is_empty()));
        self
    }

    fn length(&self) -> u64 {
        self.parts.iter().fold(0, |sum: u64, (_, part)| sum.saturating_add(*part))
    }

    fn html(&self, longest: u64) -> String {
        let part = |(class, length): &(&str, u64)| {
            let width = percent(*length, longest).replace(' ', "");
            format!("<i class=\"{class}\" style=\"width: {width}\"></i>")
        };
        // A part that is there is seen, however small it is.
        let parts =
            self.parts.iter().filter(|(_, length)| *length > 0).map(part).collect::<String>();
        let lines = self.lines.iter().map(|line| paragraph("soft", line)).collect::<String>();
        let (name, number) = (escaped(&self.name), escaped(&self.number));
        format!(
            "<li><p class=\"head\"><span class=\"mono\">{name}</span> <span class=\"number\">{number}</span></p>\
             <div class=\"split\" aria-hidden=\"true\">{parts}</div>{lines}</li>\n"
        )
    }
}

/// A list of bars in one scale.
pub(super) fn list(bars: &[Bar]) -> String {
    let longest = bars.iter().map(Bar::length).max().unwrap_or(0);
    let rows = bars.iter().map(|bar| bar.html(longest)).collect::<String>();
    if rows.is_empty() { rows } else { format!("<ul>\n{rows}</ul>\n") }
}

/// The colours of bars, with their names.
pub(super) fn key(parts: &[(&str, &str)]) -> String {
    let part = |(class, name): &(&str, &str)| format!("<i class=\"{class}\"></i>{name}");
    format!("<p class=\"key soft\">{}</p>\n", parts.iter().map(part).collect::<String>())
}

/// A paragraph of a class.
pub(super) fn paragraph(class: &str, text: &str) -> String {
    format!("<p class=\"{class}\">{}</p>\n", escaped(text))
}
