//! Running programs and finding files.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Result;

/// The root of the repository: the folder above this crate.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("xtask lies in the repository root")
}

/// The cargo that started this program, so that every step uses the same tool chain.
pub(crate) fn cargo() -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    // Set by cargo for this process and wrong for a child that works on another package.
    for (key, _) in env::vars_os() {
        if key
            .to_str()
            .is_some_and(|key| key.starts_with("CARGO_PKG_") || key.starts_with("CARGO_MANIFEST_"))
        {
            command.env_remove(key);
        }
    }
    command
}

/// Runs a command with this process's own input and output, echoing it first as a shell line.
pub(crate) fn stream(command: &mut Command) -> Result<()> {
    println!("$ {}", shell_line(command));
    let status = command
        .status()
        .map_err(|error| format!("cannot start {}: {error}", program(command)))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("`{}` ended with {status}", shell_line(command)))
    }
}

/// Runs a command and returns what it wrote to its standard output; its errors go to ours.
pub(crate) fn capture(command: &mut Command) -> Result<String> {
    command.stderr(std::process::Stdio::inherit());
    let output = command
        .output()
        .map_err(|error| format!("cannot start {}: {error}", program(command)))?;
    if !output.status.success() {
        return Err(format!("`{}` ended with {}", shell_line(command), output.status));
    }
    String::from_utf8(output.stdout)
        .map_err(|_| format!("`{}` printed bytes that are not UTF-8", shell_line(command)))
}

fn program(command: &Command) -> String {
    command.get_program().to_string_lossy().into_owned()
}

/// A command as one would type it; what cargo is called by its full path is shown as its name.
pub(crate) fn shell_line(command: &Command) -> String {
    let name = Path::new(command.get_program())
        .file_name()
        .unwrap_or(command.get_program());
    let environment = command
        .get_envs()
        .filter_map(|(key, value)| value.map(|value| format!("{}={}", key.to_string_lossy(), quote(value))));
    let words = std::iter::once(name).chain(command.get_args()).map(quote);
    environment.chain(words).collect::<Vec<_>>().join(" ")
}

fn quote(word: &OsStr) -> String {
    let word = word.to_string_lossy();
    if word.is_empty() || word.contains(|c: char| c.is_whitespace() || "'\"$&;|<>()".contains(c)) {
        format!("'{}'", word.replace('\'', r"'\''"))
    } else {
        word.into_owned()
    }
}

/// Where a program lies, looked up in `PATH` as the shell would.
pub(crate) fn which(name: &str) -> Option<PathBuf> {
    env::split_paths(&env::var_os("PATH")?)
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
}

/// Files that belong to the repository, tracked or about to be, relative to its root and sorted.
pub(crate) fn tracked_files() -> Result<Vec<PathBuf>> {
    let listing = capture(Command::new("git").current_dir(root()).args([
        "ls-files",
        "-z",
        "--cached",
        "--others",
        "--exclude-standard",
    ]))?;
    let mut files: Vec<PathBuf> = listing
        .split('\0')
        .filter(|name| !name.is_empty())
        .map(PathBuf::from)
        .filter(|file| {
            root()
                .join(file)
                .symlink_metadata()
                .is_ok_and(|meta| !meta.is_dir())
        })
        .collect();
    files.sort();
    files.dedup();
    Ok(files)
}

/// The text of a file of the repository.
pub(crate) fn read(file: impl AsRef<Path>) -> Result<String> {
    let file = file.as_ref();
    std::fs::read_to_string(root().join(file))
        .map_err(|error| format!("cannot read {}: {error}", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shell_line_quotes_what_the_shell_would_split() {
        let mut command = Command::new("cargo");
        command
            .env("RUSTDOCFLAGS", "-D warnings")
            .args(["doc", "it's", ""]);
        assert_eq!(
            shell_line(&command),
            r"RUSTDOCFLAGS='-D warnings' cargo doc 'it'\''s' ''"
        );
    }

    #[test]
    fn root_holds_the_workspace_manifest() {
        assert!(root().join("Cargo.toml").is_file());
    }
}
