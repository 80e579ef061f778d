//! A film as GIF, which mail, chats and slides play: its stills, drawn by resvg, in 255 colours.

use std::collections::HashMap;
use std::ops::RangeInclusive;

use gif::{DisposalMethod, Encoder, EncodingError, Frame, Repeat};
use itertools::Itertools;
use resvg::tiny_skia::{Color, Pixmap, PixmapPaint, PremultipliedColorU8, Transform};
use resvg::usvg::Options;

use super::Film;
use super::png::{options, tree, unrendered};
use super::svg::Cast;
use tensor_layout::LayoutError;
use tensor_layout::error::fault;

/// The most pixels of a frame: 2^22, twice a large screen.
const MOST_PIXELS: u64 = 1 << 22;

/// The number of colours, and the number that leaves a pixel as it is.
const UNCHANGED: u8 = 255;

/// One still in so many is asked for its colours: elements are the same in all of them.
const SAMPLED: usize = 20;

type Rgb = [u8; 3];

impl Film {
    /// The film as GIF, one pixel for each unit of the SVG, that plays in a loop.
    ///
    /// A frame is the [`still`](Film::still) at the second at which it begins, in the 255 colours that are the most
    /// frequent in the film; others, at the edges of letters, become the nearest of them.
    /// Law: equal films produce equal bytes; fonts of the machine are not used.
    ///
    /// # Errors
    /// `Limit` where a frame would have more than 2^22 pixels.
    ///
    /// # Example
    /// ```
    /// use tensor_layout::Placement;
    /// use tensor_layout_show::Drawing;
    /// let placement = Placement::of("((2_PE, 2:2), (2:1))".parse()?).build()?;
    /// let film = Drawing::new(&placement).film(&[])?;
    /// assert!(film.to_gif()?.starts_with(b"GIF89a"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn to_gif(&self) -> Result<Vec<u8>, LayoutError> {
        let mut reel = Reel::new(self)?;
        let moments = reel.cast.moments();
        let sampled = moments.iter().step_by(SAMPLED).map(|(second, _)| reel.still(*second));
        let mut palette = Palette::of(&sampled.collect::<Result<Vec<_>, _>>()?);
        let mut written = Written::new(&palette, &reel.stage)?;
        for (second, delay) in moments {
            let still = reel.still(second)?;
            written.add(still, &mut palette, delay).map_err(|error| unrendered(&error))?;
        }
        written.finished()
    }
}

/// The parts of stills in pixels: letters are drawn once.
struct Reel<'a> {
    cast: Cast<'a>,
    options: Options<'static>,
    stage: Pixmap,
    flyers: Vec<Pixmap>,
}

impl<'a> Reel<'a> {
    fn new(film: &'a Film) -> Result<Reel<'a>, LayoutError> {
        let (cast, options) = (Cast::new(film), options());
        let stage = drawn(&cast.stage(), &options, Color::WHITE)?;
        let flyers = cast.flyers().map(|flyer| drawn(&flyer, &options, Color::TRANSPARENT));
        let flyers = flyers.collect::<Result<_, _>>()?;
        Ok(Reel { cast, options, stage, flyers })
    }

    /// The pixels of [`Film::still`].
    fn still(&mut self, second: f64) -> Result<Pixmap, LayoutError> {
        let mut pixels = self.stage.clone();
        let bars = tree(&self.cast.bars(second), &self.options)?;
        resvg::render(&bars, Transform::identity(), &mut pixels.as_mut());
        for (flyer, (place, opacity)) in self.flyers.iter().zip(self.cast.places(second)) {
            let paint = PixmapPaint { opacity: single(opacity), ..PixmapPaint::default() };
            let at = Transform::from_translate(single(place.0), single(place.1));
            pixels.draw_pixmap(0, 0, flyer.as_ref(), &paint, at, None);
        }
        Ok(pixels)
    }
}

#[expect(
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    reason = "whole numbers of pixels, and shares"
)]
fn single(of: f64) -> f32 {
    of as f32
}

/// The pixels of an SVG on a colour.
fn drawn(svg: &str, options: &Options<'_>, ground: Color) -> Result<Pixmap, LayoutError> {
    let tree = tree(svg, options)?;
    let size = tree.size().to_int_size();
    let (width, height) = (size.width(), size.height());
    let fits = u64::from(width) * u64::from(height) <= MOST_PIXELS
        && u16::try_from(width.max(height)).is_ok();
    let mut pixels = Pixmap::new(width, height).filter(|_| fits).ok_or_else(|| {
        fault!(
            Limit,
            "the film would be {width} x {height} pixels, and a GIF may have {most}; write .svg instead",
            [width, height, most = MOST_PIXELS.to_string()]
        )
    })?;
    pixels.fill(ground);
    resvg::render(&tree, Transform::identity(), &mut pixels.as_mut());
    Ok(pixels)
}

/// The colour of a pixel, which is opaque.
fn rgb(pixel: &PremultipliedColorU8) -> Rgb {
    [pixel.red(), pixel.green(), pixel.blue()]
}

/// The most frequent colours, and the number of each colour that was asked for.
struct Palette {
    colors: Vec<Rgb>,
    numbers: HashMap<Rgb, u8>,
}

impl Palette {
    fn of(stills: &[Pixmap]) -> Palette {
        let counts = stills.iter().flat_map(Pixmap::pixels).map(rgb).counts();
        let by_count =
            counts.into_iter().sorted_by_key(|(color, count)| (usize::MAX - count, *color));
        let colors = by_count.map(|(color, _)| color).take(UNCHANGED.into()).collect();
        Palette { colors, numbers: HashMap::new() }
    }

    /// The number of a colour, or of the nearest that there is.
    fn number(&mut self, color: Rgb) -> u8 {
        let nearest = || (0_u8..).zip(&self.colors).min_by_key(|(_, of)| distance(color, **of));
        let number = self.numbers.entry(color);
        *number.or_insert_with(|| nearest().map_or(0, |(number, _)| number))
    }
}

fn distance(a: Rgb, b: Rgb) -> u32 {
    a.into_iter().zip(b).map(|(a, b)| u32::from(a.abs_diff(b)).pow(2)).sum()
}

/// The frames that are written, each with the pixels that differ from the one before.
struct Written {
    encoder: Encoder<Vec<u8>>,
    shown: Pixmap,
}

/// Rows and columns of pixels.
type Region = (RangeInclusive<usize>, RangeInclusive<usize>);

impl Written {
    fn new(palette: &Palette, stage: &Pixmap) -> Result<Written, LayoutError> {
        let (width, height) = (side(stage.width()), side(stage.height()));
        let mut colors = palette.colors.concat();
        colors.resize(3 * (usize::from(UNCHANGED) + 1), 0);
        let encoder = Encoder::new(Vec::new(), width, height, &colors).and_then(|mut encoder| {
            encoder.set_repeat(Repeat::Infinite)?;
            Ok(encoder)
        });
        let mut shown = stage.clone();
        shown.fill(Color::TRANSPARENT);
        Ok(Written { encoder: encoder.map_err(|error| unrendered(&error))?, shown })
    }

    /// Adds a still that is shown for some hundredths of a second.
    fn add(
        &mut self,
        still: Pixmap,
        palette: &mut Palette,
        delay: usize,
    ) -> Result<(), EncodingError> {
        let (rows, columns) = self.changed(&still);
        let mut buffer = Vec::new();
        for (old, new) in self.rows(&still).skip(*rows.start()).take(rows.clone().count()) {
            let pairs = old[columns.clone()].iter().zip(&new[columns.clone()]);
            let number = |(old, new)| if old == new { UNCHANGED } else { palette.number(rgb(new)) };
            buffer.extend(pairs.map(number));
        }
        let frame = Frame {
            delay: side(delay),
            dispose: DisposalMethod::Keep,
            transparent: Some(UNCHANGED),
            top: side(*rows.start()),
            left: side(*columns.start()),
            height: side(rows.count()),
            width: side(columns.count()),
            buffer: buffer.into(),
            ..Frame::default()
        };
        self.encoder.write_frame(&frame)?;
        self.shown = still;
        Ok(())
    }

    /// The rows of the last still, and of the next.
    fn rows<'a>(
        &'a self,
        still: &'a Pixmap,
    ) -> impl Iterator<Item = (&'a [PremultipliedColorU8], &'a [PremultipliedColorU8])> {
        let width = usize::from(side(still.width()));
        self.shown.pixels().chunks(width).zip(still.pixels().chunks(width))
    }

    /// The region around all pixels that differ; one pixel where none does.
    fn changed(&self, still: &Pixmap) -> Region {
        let differs = |(old, new): (&PremultipliedColorU8, &PremultipliedColorU8)| old != new;
        let ends = self.rows(still).enumerate().filter_map(|(row, (old, new))| {
            let mut pairs = old.iter().zip(new);
            let first = pairs.clone().position(differs)?;
            Some((row, first, pairs.rposition(differs)?))
        });
        let ends: Vec<(usize, usize, usize)> = ends.collect();
        let around = |of: Vec<usize>| match of.into_iter().minmax().into_option() {
            Some((first, last)) => first..=last,
            None => 0..=0,
        };
        let rows = around(ends.iter().map(|(row, ..)| *row).collect());
        (rows, around(ends.iter().flat_map(|(_, first, last)| [*first, *last]).collect()))
    }

    fn finished(self) -> Result<Vec<u8>, LayoutError> {
        self.encoder.into_inner().map_err(|error| unrendered(&error))
    }
}

/// A side or a delay as GIF has it; that they fit is known from [`drawn`].
fn side<T: TryInto<u16>>(of: T) -> u16 {
    of.try_into().unwrap_or(u16::MAX)
}
