//! The formats of pictures and films.

use std::io::Write;
use std::path::Path;

use clap::ValueEnum;
use tensor_layout_show::{Film, Picture};

use super::failure::Failure;
use super::output::{extension_of, write_to};

#[derive(Clone, Copy, Debug, PartialEq, ValueEnum)]
pub(super) enum PictureFormat {
    /// A self-contained picture.
    Svg,
    /// The SVG picture as pixels.
    Png,
    /// The SVG picture as a page for papers, with letters as paths.
    Pdf,
    /// A film for mail, chats and slides.
    Gif,
    /// The `explore` page for this layout, in one file.
    Html,
    /// Text for the terminal, in colour if supported.
    Text,
}

impl PictureFormat {
    /// The format for the extension of a file; `None` for devices.
    pub(super) fn of(path: &Path) -> Result<Option<PictureFormat>, Failure> {
        let is_device = path == Path::new("-") || (path.exists() && !path.is_file());
        match &*extension_of(path) {
            _ if is_device => Ok(None),
            "svg" => Ok(Some(PictureFormat::Svg)),
            "png" => Ok(Some(PictureFormat::Png)),
            "pdf" => Ok(Some(PictureFormat::Pdf)),
            "gif" => Ok(Some(PictureFormat::Gif)),
            "html" | "htm" => Ok(Some(PictureFormat::Html)),
            "txt" => Ok(Some(PictureFormat::Text)),
            end => Err(Failure::Advised(
                match end {
                    "" => format!("cannot choose a format for `{}` by its name", path.display()),
                    end => format!("a picture cannot be written as .{end}"),
                },
                "end the name of the file in .svg, .png, .pdf, .html or .txt, or for a film in .gif".into(),
            )),
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            PictureFormat::Svg => "svg",
            PictureFormat::Png => "png",
            PictureFormat::Pdf => "pdf",
            PictureFormat::Gif => "gif",
            PictureFormat::Html => "html",
            PictureFormat::Text => "text",
        }
    }
}

/// The failure of a build without a feature, which has the name of the format.
#[cfg(not(all(feature = "gif", feature = "pdf", feature = "png")))]
fn not_built(format: PictureFormat) -> Failure {
    let name = format.name();
    Failure::Advised(
        format!("this build of tensor-layout cannot write {}", name.to_uppercase()),
        format!("write .svg, or build it with the feature `{name}`"),
    )
}

#[cfg(feature = "png")]
pub(super) fn png(picture: &Picture) -> Result<Vec<u8>, Failure> {
    picture.to_png().map_err(|error| Failure::Argument(error.to_string()))
}

#[cfg(not(feature = "png"))]
pub(super) fn png(_: &Picture) -> Result<Vec<u8>, Failure> {
    Err(not_built(PictureFormat::Png))
}

#[cfg(feature = "pdf")]
pub(super) fn pdf(picture: &Picture) -> Result<Vec<u8>, Failure> {
    picture.to_pdf().map_err(|error| Failure::Argument(error.to_string()))
}

#[cfg(not(feature = "pdf"))]
pub(super) fn pdf(_: &Picture) -> Result<Vec<u8>, Failure> {
    Err(not_built(PictureFormat::Pdf))
}

#[cfg(feature = "gif")]
fn gif(film: &Film) -> Result<Vec<u8>, Failure> {
    film.to_gif().map_err(|error| Failure::Argument(error.to_string()))
}

#[cfg(not(feature = "gif"))]
fn gif(_: &Film) -> Result<Vec<u8>, Failure> {
    Err(not_built(PictureFormat::Gif))
}

/// A film in a format that moves.
pub(super) fn printed_film(film: &Film, format: PictureFormat) -> Result<Vec<u8>, Failure> {
    match format {
        PictureFormat::Svg => Ok(film.to_svg().into_bytes()),
        PictureFormat::Html => Ok(film.to_html().into_bytes()),
        PictureFormat::Gif => gif(film),
        PictureFormat::Png | PictureFormat::Pdf | PictureFormat::Text => Err(no_film(format)),
    }
}

fn no_film(format: PictureFormat) -> Failure {
    Failure::Advised(
        format!("a film cannot be written as {}", format.name()),
        "write it to a file that ends in .svg, .gif or .html".into(),
    )
}

/// The format that the file extension names, if it is one that moves.
pub(super) fn film_format(path: &Path) -> Result<PictureFormat, Failure> {
    let format = PictureFormat::of(path)?.unwrap_or(PictureFormat::Text);
    let moves = matches!(format, PictureFormat::Svg | PictureFormat::Gif | PictureFormat::Html);
    if moves { Ok(format) } else { Err(no_film(format)) }
}

/// Writes a film.
pub(super) fn write_film(film: &Film, path: &Path, format: PictureFormat) -> Result<(), Failure> {
    let film = printed_film(film, format)?;
    write_to(Some(path), |out| out.write_all(&film))
}
