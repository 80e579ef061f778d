//! A dump as a page for browsers, in one file: what its results pad, what its collectives send, what it copies, and
//! its memory over the schedule. Names and numbers are those of the pages of text, from the same functions.

mod bars;
mod curve;

use itertools::Itertools;
use tensor_layout::LayoutError;
use tensor_layout_hlo::{
    CollectiveTraffic, Collectives, HloBytes, HloCopies, HloCopy, HloMemory, HloModuleMemory,
    HloPeak, HloReading, HloRow, HloSummary,
};
use tensor_layout_words::{counted, printable, readable_bytes, to_u64};

use super::reading::unread;
use super::rows::{SHOWN, origin, partitioned};
use super::{collectives, copies, memory, summary};
use crate::pages::STYLE;
use crate::svg::escaped;
use bars::{Bar, key, list, paragraph};

/// The findings in a dump that a page for browsers shows.
#[derive(Clone, Copy, Debug)]
pub struct HloFindings<'a> {
    /// The results that instructions write.
    pub summary: &'a HloSummary,
    /// The memory of its modules.
    pub memory: &'a HloMemory,
    /// Its collectives, with the bytes into each level of a machine if one is known.
    pub collectives: &'a Collectives,
    /// Its copies.
    pub copies: &'a HloCopies,
    /// The parts of the dump that could not be read.
    pub reading: &'a HloReading,
}

impl HloFindings<'_> {
    /// Everything that could not be read of the dump.
    #[must_use]
    pub fn unread(&self) -> HloReading {
        let HloFindings { summary, memory, collectives, copies, reading } = self;
        let readers = [summary.reading(), memory.reading(), &collectives.reading, copies.reading()];
        readers.into_iter().fold((*reading).clone(), |all, reader| all.and(reader))
    }
}

/// The page of a dump, with as many rows as the pages of text have. It needs nothing but a browser, and no script.
///
/// # Errors
/// `TooLarge`.
pub fn report(of: &HloFindings<'_>, top: Option<usize>) -> Result<String, LayoutError> {
    let title = title(of.memory.modules());
    let sections = [
        header(of, &title)?,
        "<main>\n<div>\n".to_owned(),
        section("What instructions write", &written(of.summary)?),
        section("Results, most padding first", &padding(of.summary, top)),
        section("Collectives", &sent(of.collectives, top)),
        "</div>\n<div>\n".to_owned(),
        section("Memory over the schedule", &lived(of.memory, top)),
        section("Copies", &copied(of.copies, top)),
        "</div>\n</main>".to_owned(),
    ];
    let style = format!("{STYLE}{}", include_str!("page.css"));
    let page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
         <title>{}</title>\n<style>\n{style}</style>\n</head>\n<body>\n{}\n</body>\n</html>\n",
        escaped(&title),
        sections.concat()
    );
    Ok(printable(&page).into_owned())
}

fn title(modules: &[HloModuleMemory]) -> String {
    match modules {
        [module] => memory::module_name(module),
        _ => counted(to_u64(modules.len()), "module"),
    }
}

fn section(title: &str, body: &str) -> String {
    format!("<section>\n<h2>{title}</h2>\n{body}</section>\n")
}

fn padded(rows: Vec<(HloBytes, String)>) -> String {
    let bars = rows.into_iter().map(|(bytes, what)| Bar::allocated(what, bytes, "waste"));
    key(&[("elements", "elements"), ("padding", "padding")]) + &list(&bars.collect::<Vec<_>>())
}

/// The name of the page, what could not be read, and parameters and results.
fn header(of: &HloFindings<'_>, title: &str) -> Result<String, LayoutError> {
    let doubts = of.reading.doubts().map(|what| paragraph("note", what)).collect::<String>();
    let notes = [unread(&of.unread()), partitioned(of.summary.partitions())];
    let notes = notes.iter().filter(|note| !note.is_empty());
    let notes = notes.map(|note| paragraph("note soft", note.trim())).collect::<String>();
    let rows = padded(summary::entry_rows(of.summary)?);
    Ok(format!("<header>\n<h1>{}</h1>\n{doubts}{notes}{rows}</header>\n", escaped(title)))
}

fn written(of: &HloSummary) -> Result<String, LayoutError> {
    Ok(paragraph("soft", summary::WRITTEN) + &padded(summary::computation_rows(of)?))
}

fn padding(of: &HloSummary, top: Option<usize>) -> String {
    let bar = |row: HloRow<'_>| {
        let origin = origin(0, row.op_name, row.source);
        let bar = Bar::allocated(summary::instruction(&row), row.sizes.into(), "waste");
        bar.and([row.shape.to_owned(), origin])
    };
    let bars: Vec<Bar> = of.rows().take(top.unwrap_or(SHOWN)).map(bar).collect();
    or_none(list(&bars), "No instruction writes a result of known size.")
}

/// The bars, or in one line that there are none.
fn or_none(bars: String, none: &str) -> String {
    if bars.is_empty() { paragraph("soft", none) } else { bars }
}

const NO_MESH: &str = "Without a mesh, the bytes along each of its axes are not known.";

fn sent(of: &Collectives, top: Option<usize>) -> String {
    if of.entries.is_empty() {
        let numbers = numbers(&of.total, 1, |_| true);
        return paragraph("soft", &format!("{}: {numbers}", collectives::in_all(of)));
    }
    let moved = |(bytes, what)| Bar::moved(what, bytes);
    let kinds: Vec<Bar> = collectives::kinds(of).into_iter().map(moved).collect();
    let axes: Vec<Bar> = collectives::axes(of).into_iter().map(moved).collect();
    let levels = of.total.into.iter().map(|(level, bytes)| (*bytes, format!("into {level}")));
    let received = (of.total.received, "received".to_owned());
    let levels: Vec<Bar> = levels.chain([received]).map(moved).collect();
    let largest = of.entries.iter().take(top.unwrap_or(SHOWN)).map(|entry| {
        let origin = origin(0, entry.op_name.as_deref(), None);
        let replicas = collectives::replicas(entry).unwrap_or_default();
        let name = collectives::instruction(entry);
        sent_by_one(name, &entry.traffic, entry.runs.times).and([origin, replicas])
    });
    let total = sent_by_one(collectives::in_all(of), &of.total, 1);
    let largest: Vec<Bar> = largest.chain([total]).collect();
    let machine = match of.total.into.is_empty() {
        true => paragraph("soft", "Without a machine, the bytes into each level are not known."),
        false => String::new(),
    };
    [
        paragraph("soft", collectives::MEANING),
        format!("<h3>One sends, by kind and group</h3>\n{}", list(&kinds)),
        format!("<h3>One sends, by axis of the mesh</h3>\n{}", or_none(list(&axes), NO_MESH)),
        format!("<h3>All devices receive</h3>\n{}{machine}", list(&levels)),
        format!("<h3>One sends, by collective</h3>\n{}", list(&largest)),
    ]
    .concat()
}

/// The bar of what one device sends, with the other numbers below it.
fn sent_by_one(name: String, traffic: &CollectiveTraffic, times: u64) -> Bar {
    let others = numbers(traffic, times, |name| name != "one sends");
    Bar::moved(name, traffic.sent.saturating_mul(times)).and([others])
}

/// The numbers of a collective in the columns that are asked for.
fn numbers(traffic: &CollectiveTraffic, times: u64, is_shown: impl Fn(&str) -> bool) -> String {
    let shown = collectives::columns(traffic, times).into_iter();
    let shown = shown.filter(|(name, _)| is_shown(name));
    shown.map(|(name, number)| format!("{name} {number}")).join(", ")
}

fn copied(of: &HloCopies, top: Option<usize>) -> String {
    let bar = |copy: &HloCopy| {
        let origin = origin(0, copy.op_name.as_deref(), copy.source.as_deref());
        let read = readable_bytes(copy.read);
        let read = format!("written; {read} read; free: {}", copies::freedom(copy));
        let mut bar = Bar::moved(copies::instruction(copy), copy.written);
        if !matches!(copies::freedom(copy), "no" | "?") {
            bar.parts = vec![("free", copy.written)];
        }
        bar.and([read, copies::shapes(copy), origin])
    };
    let bars: Vec<Bar> = of.entries().iter().take(top.unwrap_or(SHOWN)).map(bar).collect();
    let sum = |(read, written, what)| format!("{read} read, {written} written: {what}");
    let sums = copies::sums(of, top).into_iter().map(sum);
    let sums = sums.map(|line| paragraph("soft", &line)).collect::<String>();
    key(&[("moved", "written"), ("free", "free, or in a fusion")]) + &list(&bars) + &sums
}

fn lived(of: &HloMemory, top: Option<usize>) -> String {
    let modules = of.modules().iter().map(|module| {
        let name = match of.modules() {
            [_] => String::new(),
            _ => paragraph("mono", &memory::module_name(module)),
        };
        let lines = memory::interface_lines(module).map(|line| paragraph("soft", &line));
        format!("{name}{}{}", lines.collect::<String>(), peaks(module, top))
    });
    modules.collect()
}

fn peaks(of: &HloModuleMemory, top: Option<usize>) -> String {
    match &of.peaks {
        Err(why) => paragraph("soft", &why.to_string()),
        Ok(peaks) => {
            let peaks = peaks.iter().map(|peak| space(of, peak, top)).collect();
            or_none(peaks, "No buffer of known size is live.")
        }
    }
}

/// A memory space: its curve, and the buffers that are live at the peak.
fn space(of: &HloModuleMemory, peak: &HloPeak, top: Option<usize>) -> String {
    let bars = memory::live_rows(peak, top).map(|(live, together)| {
        let origin = origin(0, live.op_name.as_deref(), live.source.as_deref());
        let together = format!("{together} together with those above");
        let bar = Bar::allocated(memory::live_name(live), live.bytes, "padding");
        bar.and([together, memory::live_shape(live), origin])
    });
    let bars = list(&bars.collect::<Vec<_>>());
    let rest = memory::live_rest(peak, top);
    let rest = rest.map(|(bytes, count)| paragraph("soft", &format!("{bytes}  {count}")));
    let lines = [memory::peak_place(peak), origin(0, peak.op_name.as_deref(), None)];
    let lines = lines.iter().filter(|line| !line.is_empty());
    let lines = lines.map(|line| paragraph("soft", line.trim_end())).collect::<String>();
    let title = escaped(&memory::peak_title(of, peak));
    let key = key(&[("elements", "elements"), ("padding", "padding")]);
    let figure = curve::figure(peak);
    format!("<h3>{title}</h3>\n{lines}{figure}{key}{bars}{}", rest.unwrap_or_default())
}
