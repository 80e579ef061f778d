//! A picture as PNG, drawn by resvg from the SVG, with an embedded font.

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};

use super::Picture;
use tensor_layout::LayoutError;
use tensor_layout::error::fault;

/// The font of all pictures, so that they look the same on machines without fonts.
const FONT: &[u8] = include_bytes!("DejaVuSansMono.ttf");

/// The most and the fewest pixels per unit of the SVG; text of fewer cannot be read.
const SCALES: (f32, f32) = (2.0, 0.5);

/// The longest side of a PNG in pixels.
const LONGEST: f32 = 16_384.0;

/// The most pixels of a PNG, of 4 bytes each: 2^24.
const MOST_PIXELS: f32 = 16_777_216.0;

impl Picture {
    /// The picture as PNG: two pixels for each unit of the SVG, or fewer where that would exceed 16,384 along
    /// a side or 2^24 in total.
    ///
    /// Law: equal pictures produce equal bytes; fonts of the machine are not used.
    ///
    /// # Errors
    /// `Limit` where that leaves less than half a pixel per unit.
    pub fn to_png(&self) -> Result<Vec<u8>, LayoutError> {
        let tree = self.tree()?;
        let (most, fewest) = SCALES;
        let scale = fitting(tree.size().width(), tree.size().height()).min(most);
        let size = tree.size().to_int_size().scale_by(scale.max(fewest));
        let (width, height) = size.map_or((0, 0), |size| (size.width(), size.height()));
        let pixels = Pixmap::new(width, height).filter(|_| scale >= fewest);
        let mut pixels = pixels.ok_or_else(|| {
            fault!(
                Limit,
                "the picture would be {width} x {height} pixels, and a PNG may have {longest} \
                 along a side and {most} in all; write .svg instead",
                [width, height, longest = LONGEST.to_string(), most = MOST_PIXELS.to_string()]
            )
        })?;
        resvg::render(&tree, Transform::from_scale(scale, scale), &mut pixels.as_mut());
        pixels.encode_png().map_err(|error| unrendered(&error))
    }

    /// The SVG with the outlines of its letters.
    pub(super) fn tree(&self) -> Result<Tree, LayoutError> {
        tree(&self.to_svg(), &options())
    }
}

/// The options of all pictures: their font.
pub(super) fn options() -> Options<'static> {
    let mut options = Options { font_family: "DejaVu Sans Mono".into(), ..Options::default() };
    options.fontdb_mut().load_font_data(FONT.to_vec());
    options
}

/// An SVG of this package with the outlines of its letters.
pub(super) fn tree(svg: &str, options: &Options<'_>) -> Result<Tree, LayoutError> {
    Tree::from_str(svg, options).map_err(|error| unrendered(&error))
}

pub(super) fn unrendered(error: &dyn std::fmt::Display) -> LayoutError {
    let error = error.to_string();
    fault!(Unsupported, "the picture could not be rendered: {error}", [error])
}

/// The pixels per unit that a picture may have.
fn fitting(width: f32, height: f32) -> f32 {
    (LONGEST / width.max(height)).min((MOST_PIXELS / (width * height)).sqrt())
}
