//! A picture as PDF: the paths of its SVG, with letters as paths, so that it is sharp at any size and needs no font.

use miniz_oxide::deflate::compress_to_vec_zlib;
use pdf_writer::types::{ColorSpaceOperand, LineCapStyle, PaintType, TilingType};
use pdf_writer::{Content, Filter, Finish, Name, Pdf, Rect, Ref, TextStr};
use resvg::tiny_skia::{PathSegment, Point, Transform};
use resvg::usvg::{self, Fill, FillRule, Group, LineCap, Node, Paint, PaintOrder, Stroke};

use super::Picture;
use tensor_layout::LayoutError;

/// The points of a PDF per unit of the SVG: 72 and 96 are an inch.
const SCALE: f32 = 0.75;

/// The usual level of zlib.
const COMPRESSION: u8 = 6;

impl Picture {
    /// The picture as PDF, one page of its size.
    ///
    /// Law: equal pictures produce equal bytes; fonts of the machine are not used.
    ///
    /// # Errors
    /// As [`to_png`](Picture::to_png), but for pictures of any size.
    pub fn to_pdf(&self) -> Result<Vec<u8>, LayoutError> {
        let tree = self.tree()?;
        let (wide, high) = (tree.size().width() * SCALE, tree.size().height() * SCALE);
        // SVG counts from the top, PDF from the bottom.
        let mut page = Canvas::new(Transform::from_row(SCALE, 0.0, 0.0, -SCALE, 0.0, high));
        page.draw(tree.root());
        Ok(page.into_pdf(&self.title, (wide, high)))
    }
}

/// A pattern with the matrix that leads to the page.
struct Tile<'a> {
    pattern: &'a usvg::Pattern,
    matrix: Transform,
}

/// Drawn paths, and the patterns that fill some of them.
struct Canvas<'a> {
    base: Transform,
    content: Content,
    tiles: Vec<Tile<'a>>,
}

impl<'a> Canvas<'a> {
    fn new(base: Transform) -> Canvas<'a> {
        Canvas { base, content: Content::new(), tiles: Vec::new() }
    }

    fn draw(&mut self, group: &'a Group) {
        for node in group.children() {
            match node {
                Node::Group(group) => self.draw(group),
                Node::Path(path) => self.draw_path(path),
                Node::Text(text) => self.draw(text.flattened()),
                // A picture has none.
                Node::Image(_) => {}
            }
        }
    }

    fn draw_path(&mut self, path: &'a usvg::Path) {
        let at = self.base.pre_concat(path.abs_transform());
        self.content.save_state();
        self.content.transform(rows(at));
        let is_filled_first = path.paint_order() == PaintOrder::FillAndStroke;
        for fills in [is_filled_first, !is_filled_first] {
            match (fills, path.fill(), path.stroke()) {
                (true, Some(fill), _) => self.fill(path, fill, at),
                (false, _, Some(stroke)) => self.stroke(path, stroke),
                _ => {}
            }
        }
        self.content.restore_state();
    }

    fn fill(&mut self, path: &usvg::Path, fill: &'a Fill, at: Transform) {
        match fill.paint() {
            Paint::Color(color) => {
                let [red, green, blue] = mixed(*color, fill.opacity().get());
                self.content.set_fill_rgb(red, green, blue);
            }
            Paint::Pattern(pattern) => {
                let matrix = at.pre_concat(pattern.transform());
                let name = self.tile(pattern, matrix);
                self.content.set_fill_color_space(ColorSpaceOperand::Pattern);
                self.content.set_fill_pattern(None, Name(name.as_bytes()));
            }
            // A picture has no gradients.
            Paint::LinearGradient(_) | Paint::RadialGradient(_) => return,
        }
        self.trace(path);
        match fill.rule() {
            FillRule::NonZero => self.content.fill_nonzero(),
            FillRule::EvenOdd => self.content.fill_even_odd(),
        };
    }

    fn stroke(&mut self, path: &usvg::Path, stroke: &Stroke) {
        let Paint::Color(color) = stroke.paint() else { return };
        let [red, green, blue] = mixed(*color, stroke.opacity().get());
        self.content.set_stroke_rgb(red, green, blue);
        self.content.set_line_width(stroke.width().get());
        self.content.set_line_cap(match stroke.linecap() {
            LineCap::Butt => LineCapStyle::ButtCap,
            LineCap::Round => LineCapStyle::RoundCap,
            LineCap::Square => LineCapStyle::ProjectingSquareCap,
        });
        if let Some(dashes) = stroke.dasharray() {
            self.content.set_dash_pattern(dashes.iter().copied(), stroke.dashoffset());
        }
        self.trace(path);
        self.content.stroke();
    }

    fn trace(&mut self, path: &usvg::Path) {
        let content = &mut self.content;
        let mut last = Point::zero();
        for segment in path.data().segments() {
            match segment {
                PathSegment::MoveTo(to) => drop(content.move_to(to.x, to.y)),
                PathSegment::LineTo(to) => drop(content.line_to(to.x, to.y)),
                PathSegment::CubicTo(a, b, to) => {
                    content.cubic_to(a.x, a.y, b.x, b.y, to.x, to.y);
                }
                // A curve of degree 2 as one of degree 3.
                PathSegment::QuadTo(by, to) => {
                    let near = |end: Point| {
                        (end.x + (by.x - end.x) * 2.0 / 3.0, end.y + (by.y - end.y) * 2.0 / 3.0)
                    };
                    let (a, b) = (near(last), near(to));
                    content.cubic_to(a.0, a.1, b.0, b.1, to.x, to.y);
                }
                PathSegment::Close => drop(content.close_path()),
            }
            if let PathSegment::MoveTo(to)
            | PathSegment::LineTo(to)
            | PathSegment::QuadTo(_, to)
            | PathSegment::CubicTo(_, _, to) = segment
            {
                last = to;
            }
        }
    }

    /// The name of a pattern at a place, which is known from then on.
    fn tile(&mut self, pattern: &'a usvg::Pattern, matrix: Transform) -> String {
        let known = |tile: &Tile<'_>| tile.pattern.id() == pattern.id() && tile.matrix == matrix;
        let at = self.tiles.iter().position(known).unwrap_or_else(|| {
            self.tiles.push(Tile { pattern, matrix });
            self.tiles.len() - 1
        });
        name(at)
    }

    fn into_pdf(self, title: &str, (wide, high): (f32, f32)) -> Vec<u8> {
        let [catalog, pages, page, content, info] = [1, 2, 3, 4, 5].map(Ref::new);
        let tiles: Vec<(Ref, Tile<'_>)> = (6..).map(Ref::new).zip(self.tiles).collect();
        let mut pdf = Pdf::new();
        pdf.catalog(catalog).pages(pages);
        pdf.pages(pages).kids([page]).count(1);
        pdf.document_info(info).title(TextStr(title));
        let mut sheet = pdf.page(page);
        sheet.parent(pages).media_box(Rect::new(0.0, 0.0, wide, high)).contents(content);
        let mut resources = sheet.resources();
        let mut patterns = resources.patterns();
        for (at, (tile, _)) in tiles.iter().enumerate() {
            patterns.pair(Name(name(at).as_bytes()), *tile);
        }
        patterns.finish();
        resources.finish();
        sheet.finish();
        let drawn = compress_to_vec_zlib(&self.content.finish(), COMPRESSION);
        pdf.stream(content, &drawn).filter(Filter::FlateDecode);
        tiles.iter().for_each(|(at, tile)| tile.write(&mut pdf, *at));
        pdf.finish()
    }
}

impl Tile<'_> {
    fn write(&self, pdf: &mut Pdf, at: Ref) {
        let mut canvas = Canvas::new(Transform::identity());
        canvas.draw(self.pattern.root());
        let content = canvas.content.finish();
        let rect = self.pattern.rect();
        let mut tile = pdf.tiling_pattern(at, &content);
        tile.paint_type(PaintType::Colored).tiling_type(TilingType::ConstantSpacing);
        tile.bbox(Rect::new(rect.left(), rect.top(), rect.right(), rect.bottom()));
        tile.x_step(rect.width()).y_step(rect.height()).matrix(rows(self.matrix));
        tile.resources();
    }
}

fn name(at: usize) -> String {
    format!("P{at}")
}

fn rows(of: Transform) -> [f32; 6] {
    [of.sx, of.ky, of.kx, of.sy, of.tx, of.ty]
}

/// A colour on white.
fn mixed(color: usvg::Color, opacity: f32) -> [f32; 3] {
    let share = |of: u8| f32::from(of) / 255.0 * opacity + 1.0 - opacity;
    [color.red, color.green, color.blue].map(share)
}
