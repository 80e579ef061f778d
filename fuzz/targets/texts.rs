//! Every notation of a layout: a text that parses prints, parses again and lowers; any other text has a short
//! error message that points into it.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tensor_layout::einsum::Einsum;
use tensor_layout::error::ParseError;
use tensor_layout::notation::{CuteTiler, PadLayout};
use tensor_layout::xla::XlaParser;
use tensor_layout::{Layout, LayoutText, Location};
use tensor_layout_show::report::ShapeReport;

fn judge<T>(result: Result<T, ParseError>) -> Option<T> {
    let error = match result {
        Ok(read) => return Some(read),
        Err(error) => error,
    };
    let span = error.span();
    assert!(span.start <= span.end && span.end <= error.text().len(), "{span:?}");
    assert!(error.to_string().len() < 4096);
    None
}

fuzz_target!(|text: &str| {
    judge(text.parse::<Einsum>());
    judge(text.parse::<CuteTiler>());
    judge(text.parse::<Location>());
    if let Some(shape) = judge(XlaParser::lenient().parse(text)) {
        assert_eq!(shape.to_string().parse(), Ok(shape.clone()));
        let _ = ShapeReport::of(&shape);
    }
    let Some(tree) = judge(LayoutText::parse(text)) else { return };
    // A comment may be the only sign of the notation: `() // f32[2]` is XLA's tuple, `()` a scalar.
    let printed = tree.to_string();
    let again = LayoutText::parse_as(tree.notation(), XlaParser::strict(), &printed);
    assert_eq!(again.as_ref(), Ok(&tree), "{printed}");
    let Some(layout) = judge(tree.lower()) else { return };
    // The printed layout is the same map.
    if let Ok(text) = PadLayout::of(&layout) {
        let back: Layout = text.to_string().parse().expect("reads back");
        assert_eq!(back.same_map(&layout), Ok(None), "{text}");
    }
});
