//! Pictures as files: for papers, in pixels, as pages.

use tensor_layout_show::{Background, Picture};

use crate::figures::tensor;

#[test]
fn a_picture_for_a_paper_has_no_text_of_its_own_and_another_page() {
    let plain = tensor("(10,7)/((3:7, 4_PE), (7:1))");
    let bare = plain.clone().without_captions().to_svg();
    assert!(plain.to_svg().contains("12 slots for 10 rows") && !bare.contains(">12 slots"));
    let text = plain.clone().without_captions().to_text(80, false);
    assert!(text.starts_with("in each cell: PE:Addr\n"), "{text}");
    // The description stays for those who do not see the picture.
    assert!(bare.contains("<desc id=\"desc\">The tensor of (10,7)"));
    let on = |background| Picture { background, ..plain.clone() }.to_svg();
    assert!(!on(Background::Clear).contains("width=\"100%\""));
    assert!(on(Background::Dark).contains("#15171a") && !plain.to_svg().contains("#15171a"));
}

#[cfg(feature = "png")]
#[test]
fn a_png_is_the_svg_in_pixels() {
    let picture = tensor("(10,7)/((3:7, 4_PE), (7:1))");
    let png = picture.to_png().unwrap();
    assert_eq!(png[..8], *b"\x89PNG\r\n\x1a\n");
    let number = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap());
    let svg = picture.to_svg();
    assert!(svg.contains(&format!("width=\"{}\" height=\"{}\"", number(16) / 2, number(20) / 2)));
    assert_eq!(png, picture.to_png().unwrap());
}

#[cfg(feature = "pdf")]
#[test]
fn a_pdf_is_a_page_of_the_size_of_its_picture_with_its_hatching() {
    let picture = tensor("(10,7)/((3:7, 4_PE), (7:1))");
    let pdf = picture.to_pdf().unwrap();
    let text = String::from_utf8_lossy(&pdf);
    let svg = picture.to_svg();
    let size = |at: usize| svg.split('"').nth(at).unwrap().parse::<f32>().unwrap() * 0.75;
    // The attributes of the SVG are its namespace, then width and height.
    assert!(text.contains(&format!("/MediaBox [0 0 {} {}]", size(3), size(5))), "{text}");
    assert!(text.starts_with("%PDF-1.7") && text.contains("/PatternType 1"));
    assert!(!tensor("((2_PE, 2:1))").to_pdf().unwrap().windows(12).any(|at| at == b"/PatternType"));
    assert_eq!(pdf, picture.to_pdf().unwrap());
    assert!(pdf.len() < 100_000, "{}", pdf.len());
}

#[cfg(feature = "png")]
#[test]
fn a_png_of_a_large_picture_has_fewer_pixels_or_is_refused() {
    const MOST: u64 = 1 << 24;
    let mut picture = tensor("((1073741824:1073741824), (1073741824:1))");
    let png = picture.to_png().unwrap();
    let number = |at: usize| u64::from(u32::from_be_bytes(png[at..at + 4].try_into().unwrap()));
    let pixels = number(16) * number(20);
    assert!(pixels > MOST / 2 && pixels < MOST + MOST / 1000, "{pixels}");
    let cell = picture.panels[0].cells[0].clone();
    (picture.panels[0].columns, picture.panels[0].cells) = (1, vec![cell; 2_000]);
    let refusal = picture.to_png().unwrap_err().to_string();
    assert!(refusal.contains("16384 along a side and 16777216 in all; write .svg"), "{refusal}");
}
