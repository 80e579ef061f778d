//! Pages of text for notebooks.

/// Preformatted text.
pub(crate) fn page(text: &str) -> String {
    format!("<pre style=\"line-height: 1.3\">{}</pre>", escaped(text))
}

/// Text as HTML.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// A table with a header and rows.
pub(crate) fn table(header: &[String], rows: impl Iterator<Item = Vec<String>>) -> String {
    let cells = |tag: &str, cells: &[String]| -> String {
        cells.iter().map(|cell| format!("<{tag}>{}</{tag}>", escaped(cell))).collect()
    };
    let head = cells("th", header);
    let rows: String = rows.map(|row| format!("<tr>{}</tr>", cells("td", &row))).collect();
    format!("<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>")
}
