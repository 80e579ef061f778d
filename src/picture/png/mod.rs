//! A picture as PNG, drawn by resvg from the SVG, with a font of its own.

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};

use super::Picture;

/// The letters of all pictures, so that they look alike on machines without fonts.
const FONT: &[u8] = include_bytes!("DejaVuSansMono.ttf");

/// Pixels per unit of the SVG.
const SCALE: f32 = 2.0;

/// The longest side of a PNG in pixels.
const LONGEST: u32 = 1 << 14;

/// Why a picture cannot be a PNG.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PngError {
    /// It has too many pixels.
    #[error(
        "the picture would be {width} x {height} pixels, and a PNG may have {LONGEST} along a side; write .svg instead"
    )]
    TooLarge {
        /// In pixels.
        width: u32,
        /// In pixels.
        height: u32,
    },
    /// The renderer refused it.
    #[error("the picture could not be rendered: {0}")]
    Render(String),
}

impl Picture {
    /// The picture as PNG, two pixels for each unit of the SVG.
    ///
    /// Law: the same picture gives the same bytes; no font of the machine is used.
    ///
    /// # Errors
    /// [`PngError::TooLarge`] beyond 16,384 pixels along a side.
    pub fn to_png(&self) -> Result<Vec<u8>, PngError> {
        let render = |error: &dyn std::fmt::Display| PngError::Render(error.to_string());
        let mut options = Options { font_family: "DejaVu Sans Mono".into(), ..Options::default() };
        options.fontdb_mut().load_font_data(FONT.to_vec());
        let tree = Tree::from_str(&self.to_svg(), &options).map_err(|error| render(&error))?;
        let size = tree.size().to_int_size().scale_by(SCALE);
        let (width, height) = size.map_or((0, 0), |size| (size.width(), size.height()));
        let fits = width.max(height) <= LONGEST;
        let pixels = Pixmap::new(width, height).filter(|_| fits);
        let mut pixels = pixels.ok_or(PngError::TooLarge { width, height })?;
        resvg::render(&tree, Transform::from_scale(SCALE, SCALE), &mut pixels.as_mut());
        pixels.encode_png().map_err(|error| render(&error))
    }
}
