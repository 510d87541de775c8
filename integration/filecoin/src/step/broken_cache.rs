use super::accept::check;
use crate::kind::Kind;
use crate::parameters::params_path;
use crate::work::Work;
use anyhow::{ensure, Context, Result};
use std::fs;
use std::path::Path;

/// B048: a download that was cut off before its first byte is an error that names the file and what is missing, and not
/// a panic or the end of memory. With the right file in its place the same process proves.
pub(super) fn run(state: &Path, kind: Kind, work: &dyn Work) -> Result<()> {
    let path = params_path(kind)?;
    let (broken, whole) = (path.parent().context("a folder")?, state.join("parameters"));
    fs::create_dir_all(broken)?;
    fs::write(&path, [])?;
    let error = work
        .prove()
        .err()
        .context("an empty file passes for parameters")?;
    let text = format!("{error:#}");
    let name = path.file_name().context("a file")?.to_string_lossy();
    ensure!(
        text.contains(&*name) && text.contains("868 bytes needed in all, 0 there"),
        "the error does not say what is wrong: {text}"
    );
    for extension in ["params", "vk", "meta"] {
        let file = path.with_extension(extension);
        let name = file.file_name().context("a file")?;
        fs::copy(whole.join(name), broken.join(name))?;
    }
    check(work, &work.prove()?)?;
    Ok(fs::remove_dir_all(broken)?)
}
