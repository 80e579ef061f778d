//! The distinct layouts of a text, as a page and as CSV.

use std::io;

use itertools::Itertools;
use tensor_layout::placement::Fit;
use tensor_layout_hlo::scan::{
    LayoutFacts, LayoutRow, PassedOver, ScanPlace, ScanReport, UnreadLayout,
};
use tensor_layout_words::{counted, percent, printable, quoted, readable_bytes, to_u64};

/// The greatest number of unread texts on a page.
const MOST_UNREAD: usize = 10;

/// A readable page with two lines per layout, for the first `top` layouts.
#[must_use]
pub fn scan(of: &ScanReport, place: ScanPlace<'_>, top: Option<usize>) -> String {
    let mut page = Vec::new();
    // A vector takes all that is written.
    let _ = write_scan(of, &mut page, place, top);
    String::from_utf8_lossy(&page).into_owned()
}

/// Writes the [page](scan), row by row.
///
/// # Errors
/// Those of `out`.
pub fn write_scan(
    of: &ScanReport,
    out: &mut dyn io::Write,
    place: ScanPlace<'_>,
    top: Option<usize>,
) -> io::Result<()> {
    let row = |line: &str, count: &str, cells: [String; 3], text: &str| {
        let [bytes, allocated, padding] = cells;
        format!("{line:>7} {count:>6} {bytes:>11} {allocated:>11} {padding:>8}  {text}\n")
    };
    let names = ["bytes", "allocated", "padding"].map(str::to_owned);
    out.write_all(row("line", "count", names, "layout").as_bytes())?;
    for layout in of.rows().take(top.unwrap_or(usize::MAX)) {
        let facts = layout.facts(place);
        let cells = facts.as_ref().map_or_else(|_| ["-", "-", "-"].map(str::to_owned), cells);
        let (line, count) = (layout.line.to_string(), layout.count.to_string());
        out.write_all(row(&line, &count, cells, layout.text).as_bytes())?;
        let about = match facts {
            Ok(facts) => about(&layout, &facts),
            Err(error) => vec![error.kind().to_string()],
        };
        let name = layout.name.map(str::to_owned);
        let about = name.into_iter().chain(about).join("; ");
        writeln!(out, "{:9}{}", "", printable(&about))?;
    }
    out.write_all(summary(of, top).as_bytes())?;
    out.write_all(printable(&unread_page(of.unread())).as_bytes())?;
    out.write_all(printable(&passed_over(of)).as_bytes())
}

fn summary(of: &ScanReport, top: Option<usize>) -> String {
    let all: u64 = of.rows().map(|row| row.count).sum();
    let distinct = of.rows().count();
    let more = distinct.saturating_sub(top.unwrap_or(distinct));
    let distinct = to_u64(distinct);
    let hidden = if more > 0 { format!(", {more} of them not shown") } else { String::new() };
    let (layouts, places) = (counted(distinct, "layout"), counted(all, "place"));
    format!("\n{layouts} in {places}{hidden}\n")
}

/// Writes the layouts as CSV, with texts in quotes.
///
/// # Errors
/// Those of `out`.
pub fn write_scan_csv(
    of: &ScanReport,
    out: &mut dyn io::Write,
    place: ScanPlace<'_>,
    top: Option<usize>,
) -> io::Result<()> {
    writeln!(
        out,
        "layout,notation,line,name,count,shape,unpadded_bytes,allocated_bytes,padding,room,fits,\
         better,error"
    )?;
    for layout in of.rows().take(top.unwrap_or(usize::MAX)) {
        let (facts, error) = match layout.facts(place) {
            Ok(facts) => (facts, String::new()),
            Err(error) => (LayoutFacts::default(), error.kind().to_string()),
        };
        let number = |n: Option<u64>| n.map_or(String::new(), |n| n.to_string());
        let is_read = error.is_empty();
        let fits = facts.fits.iter().all(Fit::fits).to_string();
        let better = facts.better.map(|advice| advice.array.to_string()).unwrap_or_default();
        let cells = [
            quoted(layout.text),
            layout.notation.name().to_owned(),
            layout.line.to_string(),
            quoted(layout.name.unwrap_or_default()),
            layout.count.to_string(),
            quoted(&facts.shape.iter().join(",")),
            number(facts.unpadded_bytes),
            number(facts.allocated_bytes),
            number(is_read.then_some(facts.padding.0)),
            number(is_read.then_some(facts.padding.1)),
            if facts.fits.is_empty() { String::new() } else { fits },
            quoted(&better),
            quoted(&facts.misplaced.unwrap_or(error)),
        ];
        writeln!(out, "{}", cells.join(","))?;
    }
    Ok(())
}

fn cells(facts: &LayoutFacts) -> [String; 3] {
    let bytes = |bytes: Option<u64>| bytes.map_or("-".to_owned(), readable_bytes);
    let (padding, room) = facts.padding;
    [bytes(facts.unpadded_bytes), bytes(facts.allocated_bytes), percent(padding, room)]
}

/// Returns the parts of the second line after the name: shape, lanes, slices, memory, fit, and advice.
fn about(layout: &LayoutRow<'_>, facts: &LayoutFacts) -> Vec<String> {
    let shape = || match &facts.shape[..] {
        [] => "scalar".to_owned(),
        shape => shape.iter().join(" x "),
    };
    let is_plain = matches!(layout.notation, tensor_layout::notation::Notation::Xla);
    let shape = (!is_plain).then(shape);
    let of_one = matches!(layout.notation, tensor_layout::notation::Notation::Sharded);
    let of_one = of_one.then(|| "bytes of one device".to_owned());
    let fit = |fit: &Fit| {
        let Fit { name, needed, capacity } = fit;
        let verb = if fit.fits() { "fits" } else { "does not fit" };
        format!("{verb} {name} ({needed} of {capacity})")
    };
    let lanes = facts.lanes.map(|lanes| format!("{lanes} lanes W"));
    let slices = facts.slices.map(|slices| format!("{slices} slices of Time"));
    // Where a fit is known, it names the memory.
    let memory = facts.memory.as_ref().filter(|_| facts.fits.is_empty());
    let memory = memory.map(|memory| format!("in {memory}"));
    let held = lanes.into_iter().chain(slices).chain(memory);
    let fits = facts.fits.iter().map(fit);
    let better = facts
        .better
        .as_ref()
        .map(|advice| format!("{} as {}", readable_bytes(advice.allocated_bytes), advice.array));
    let misplaced = facts.misplaced.clone();
    shape.into_iter().chain(of_one).chain(held).chain(fits).chain(misplaced).chain(better).collect()
}

fn passed_over(of: &ScanReport) -> String {
    of.passed_over().map_or(String::new(), |PassedOver { count, line, text, .. }| {
        let layouts = counted(*count, "layout");
        let text = tensor_layout_words::cut(text, 120);
        format!(
            "\n{layouts} in source code passed over, for names instead of numbers; the first is\n  line \
             {line}: {text}\n"
        )
    })
}

fn unread_page<'a>(unread: impl Iterator<Item = UnreadLayout<'a>>) -> String {
    let unread = unread.collect_vec();
    if unread.is_empty() {
        return String::new();
    }
    let shown = unread.iter().take(MOST_UNREAD);
    let lines = shown.map(|UnreadLayout { text, line, reason, .. }| {
        format!("  line {line}: {reason}: {}\n", tensor_layout_words::cut(text, 120))
    });
    let texts = counted(to_u64(unread.len()), "text");
    format!("\n{texts} could not be read\n{}", lines.collect::<String>())
}
