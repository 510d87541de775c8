//! The README's shell blocks, run as a reader would: in a clean copy, in order (B118).

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::Outcome;
use crate::metadata::Metadata;
use crate::tidy::TEST_COMMAND;
use crate::util::{read, root, stream, tracked_files};
use crate::Result;

/// Stands alone on the line above a block that CI can't run: `<!-- ci: skip, REASON -->`.
const SKIP_MARK: &str = "<!-- ci: skip,";

#[derive(Debug, PartialEq)]
struct Block {
    /// Line of the opening fence, from 1.
    line: usize,
    skip: Option<String>,
    script: String,
}

pub(super) fn run() -> Result<Outcome> {
    let target = Metadata::workspace()?.target_directory;
    let copy = target.join("readme-copy");
    clean_copy(&copy)?;
    for block in blocks(&read("README.md")?)? {
        if let Some(reason) = block.skip {
            println!("README.md:{}: left out: {reason}", block.line);
            continue;
        }
        println!("README.md:{}:", block.line);
        // Compiled dependencies are shared with the other steps: what is clean is the source tree.
        let script = without_test_command(&block.script);
        stream(
            Command::new("bash")
                .args(["-euxo", "pipefail", "-c", &script])
                .env("CARGO_TARGET_DIR", &target)
                .current_dir(&copy),
        )
        .map_err(|_| format!("README.md:{}: this block fails", block.line))?;
    }
    fs::remove_dir_all(&copy).map_err(|error| format!("cannot remove {}: {error}", copy.display()))?;
    Ok(Outcome::Passed)
}

/// The first step of CI was this very command; running it again would double the longest step.
fn without_test_command(script: &str) -> String {
    let lines = script.lines().map(|line| {
        if line.trim() == TEST_COMMAND {
            ": ran as the first step"
        } else {
            line
        }
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The `sh` blocks of a Markdown text.
fn blocks(markdown: &str) -> Result<Vec<Block>> {
    let mut blocks = Vec::new();
    let mut before = "";
    let mut lines = markdown.lines().enumerate();
    while let Some((i_line, line)) = lines.next() {
        if let Some(language) = line.strip_prefix("```") {
            let body: Vec<&str> = lines
                .by_ref()
                .map(|(_, line)| line)
                .take_while(|line| *line != "```")
                .collect();
            if language == "sh" {
                let skip = before
                    .strip_prefix(SKIP_MARK)
                    .and_then(|rest| rest.strip_suffix("-->"));
                let skip = skip.map(|reason| reason.trim().to_owned());
                if skip.as_deref() == Some("") {
                    return Err(format!(
                        "README.md:{i_line}: a block may be left out only with a reason"
                    ));
                }
                blocks.push(Block {
                    line: i_line + 1,
                    skip,
                    script: body.join("\n"),
                });
            }
        }
        before = line;
    }
    Ok(blocks)
}

/// A copy of the repository's files and nothing else, as a fresh clone has them.
fn clean_copy(to: &Path) -> Result<()> {
    let fail = |what: &Path, error: std::io::Error| format!("cannot copy {}: {error}", what.display());
    if to.exists() {
        fs::remove_dir_all(to).map_err(|error| fail(to, error))?;
    }
    for file in tracked_files()? {
        let destination: PathBuf = to.join(&file);
        let folder = destination.parent().expect("a file lies in a folder");
        fs::create_dir_all(folder).map_err(|error| fail(&file, error))?;
        fs::copy(root().join(&file), &destination).map_err(|error| fail(&file, error))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shell_blocks_are_found_with_their_marks() {
        let text =
            "# T\n```sh\na\n\nb\n```\n```toml\n[x]\n```\n<!-- ci: skip, needs a GPU -->\n```sh\nc\n```\n";
        let block = |line, skip: Option<&str>, script: &str| Block {
            line,
            skip: skip.map(str::to_owned),
            script: script.to_owned(),
        };
        assert_eq!(
            blocks(text),
            Ok(vec![
                block(2, None, "a\n\nb"),
                block(11, Some("needs a GPU"), "c")
            ])
        );
    }

    #[test]
    fn a_mark_needs_a_reason() {
        assert!(blocks("<!-- ci: skip, -->\n```sh\na\n```\n").is_err());
    }

    #[test]
    fn the_test_command_is_not_run_twice() {
        let script = without_test_command(&format!("a\n{TEST_COMMAND}\n{TEST_COMMAND} --test b"));
        assert_eq!(
            script,
            format!("a\n: ran as the first step\n{TEST_COMMAND} --test b")
        );
    }
}
