//! `completions` and `man`: shell completions and manual pages.

use std::io::Write;
use std::path::PathBuf;

use clap::{Args as ClapArgs, Command};
use clap_complete::Shell;

use super::failure::Failure;
use super::files::Files;
use super::output::write_to;

/// Print completions for a shell.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Example:
  tensor-layout completions bash > ~/.local/share/bash-completion/completions/tensor-layout")]
pub(super) struct Completions {
    /// The shell.
    #[arg(value_enum)]
    shell: Shell,
}

/// Write the manual pages, one per command.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Example:
  tensor-layout man ~/.local/share/man/man1")]
pub(super) struct Man {
    /// The output directory, created if it does not exist.
    #[arg(value_name = "DIR")]
    dir: PathBuf,
}

impl Completions {
    pub(super) fn run(&self, mut command: Command) -> Result<(), Failure> {
        let mut text = Vec::new();
        clap_complete::generate(self.shell, &mut command, "tensor-layout", &mut text);
        // clap_complete 4.6 enters states that it then looks for by another name, since ours has a hyphen.
        let text =
            String::from_utf8_lossy(&text).replace("tensor__subcmd__layout", "tensor__layout");
        write_to(None, |out| out.write_all(text.as_bytes()))
    }
}

impl Man {
    pub(super) fn run(&self, command: Command) -> Result<(), Failure> {
        let failed = |error| Failure::Io(self.dir.display().to_string(), error);
        let files = Files::new(&self.dir)?;
        files.fill(|dir| clap_mangen::generate_to(command, dir)).map_err(failed)?;
        files.finish()
    }
}
