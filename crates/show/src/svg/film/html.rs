//! A film as a page: the picture, and buttons that stop it at a stage, without a script.

use std::fmt::Write;

use super::timing::name;
use crate::Film;
use crate::svg::marks::escaped;

const HEAD: &str = "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n";

const LOOKS: &str = "body{margin:1rem;font:15px/1.5 system-ui,sans-serif;background:#fbfbfa;color:#1a1a1a}\
label{margin-right:1rem}svg{display:block;max-width:100%;height:auto;margin-top:.6rem}\
@media (prefers-color-scheme:dark){body{background:#15171a;color:#ececea}}";

impl Film {
    /// The film as a page of its own: it plays, or stops at the stage that is chosen, without a script.
    #[must_use]
    pub fn to_html(&self) -> String {
        let title = escaped(&self.title);
        let (mut style, mut buttons) = (LOOKS.to_owned(), button("play", "play", true));
        for (at, stage) in self.stages.iter().enumerate() {
            let chosen = format!("#s{at}:checked~svg");
            let _ = write!(
                style,
                "{chosen} :is(.all,.e,.b,.q){{animation:none}}{chosen} .e{{transform:var(--{})}}",
                name(at)
            );
            for later in at..self.stages.len() {
                let _ = write!(
                    style,
                    "{chosen} .q{later}{{opacity:1}}{chosen} .b{}{{transform:scaleX(0)}}",
                    later.max(1)
                );
            }
            let caption = format!("{}. {}", at + 1, escaped(&stage.caption));
            buttons.push_str(&button(&format!("s{at}"), &caption, false));
        }
        let film = self.to_svg();
        format!("{HEAD}<title>{title}</title>\n<style>{style}</style>\n{buttons}{film}")
    }
}

fn button(id: &str, name: &str, checked: bool) -> String {
    let checked = if checked { " checked" } else { "" };
    format!(
        "<input type=\"radio\" name=\"at\" id=\"{id}\"{checked}><label for=\"{id}\">{name}</label>\n"
    )
}
