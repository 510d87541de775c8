//! The search and the build against scripts that stand in for nvcc.
#![cfg(unix)]

use cuda_build::{ArchPlan, Error, KernelBuild, Search, Version};
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A compiler that knows `archs`; it "compiles" by copying the unit and everything
/// it includes by `#include "x"`.
fn install(root: &Path, release: &str, archs: &str) -> PathBuf {
    let script = format!(
        r#"#!/bin/sh
case "$1" in
  --version) echo "nvcc: NVIDIA (R) Cuda compiler driver"; echo "Cuda compilation tools, release {release}, V{release}.1"; exit 0;;
  --list-gpu-arch) for a in {archs}; do echo compute_$a; done; exit 0;;
esac
while [ $# -gt 0 ]; do
  case "$1" in
    -MF) rule=$2; shift;; -c) unit=$2; shift;; -o) object=$2; shift;; -I*) dir=${{1#-I}};;
    -gencode) shift;;
  esac
  shift
done
grep -q syntax_error "$unit" && {{ echo "$unit(1): error: expected a declaration" >&2; exit 2; }}
headers=$(sed -n 's/^#include "\(.*\)"$/\1/p' "$unit" | sed "s|^|$dir/|")
cat "$unit" $headers > "$object"
echo "$object : $unit" $headers > "$rule"
echo "$unit" >> "$(dirname "$0")/compiled.log"
"#
    );
    install_script(root, &script)
}

/// Written by a child process: a file that this process had open for writing cannot be run while a fork of
/// another test thread still holds the descriptor ("text file busy").
fn install_script(root: &Path, script: &str) -> PathBuf {
    let bin = root.join("bin");
    fs::create_dir_all(&bin).unwrap();
    let (text, nvcc) = (bin.join("script"), bin.join("nvcc"));
    fs::write(&text, script).unwrap();
    let status = Command::new("install")
        .arg("-m")
        .arg("755")
        .arg(&text)
        .arg(&nvcc)
        .status()
        .unwrap();
    assert!(status.success());
    nvcc
}

// The scripts need sed, grep and cat, so PATH itself stays; the search sees only what a test gives it.
fn search(variables: &[(&str, &Path)]) -> Search {
    let variables = variables
        .iter()
        .map(|(name, value)| ((*name).to_owned(), OsString::from(value.as_os_str())))
        .collect();
    Search {
        variables,
        ..Search::default()
    }
}

const CUDA_13: &str = "75 80 86 87 88 89 90 100 103 110 120 121";

#[test]
fn b104_the_plan_follows_the_compilers_own_list() {
    for (release, archs, expected) in [
        ("11.8", "35 50 60 70 75 80 86 87 89 90", vec![80, 86, 89, 90]),
        (
            "12.8",
            "50 60 70 75 80 86 89 90 100 101 120",
            vec![80, 86, 89, 90, 100, 120],
        ),
        ("13.0", CUDA_13, vec![80, 86, 89, 90, 100, 120]),
    ] {
        let root = tempfile::tempdir().unwrap();
        install(root.path(), release, archs);
        let toolkit = search(&[("CUDA_HOME", root.path())]).find().unwrap();
        assert_eq!(
            ArchPlan::choose(&toolkit.nvcc.archs, None).unwrap().archs,
            expected
        );
    }
}

#[test]
fn b106_an_old_compiler_is_named_before_any_flag_is_tried() {
    for release in ["10.1", "11.2"] {
        let root = tempfile::tempdir().unwrap();
        let script = format!(
            "#!/bin/sh\n[ \"$1\" = --version ] && {{ echo 'Cuda compilation tools, release {release}, V{release}.0'; exit 0; }}\n\
             echo \"nvcc fatal   : Unknown option '$1'\" >&2; exit 1\n"
        );
        install_script(root.path(), &script);
        let error = search(&[("CUDA_PATH", root.path())]).find().unwrap_err();
        assert!(matches!(error, Error::TooOld { .. }), "{error}");
        let text = error.to_string();
        assert!(
            text.contains(&format!("CUDA {release} found")) && text.contains("11.8 or newer"),
            "{text}"
        );
        assert!(!text.contains("Unknown option"), "{text}");
    }
}

#[test]
fn b108_the_compiler_is_found_in_each_place_and_in_this_order() {
    let places: Vec<tempfile::TempDir> = (0..6).map(|_| tempfile::tempdir().unwrap()).collect();
    let compilers: Vec<PathBuf> = places
        .iter()
        .map(|place| install(place.path(), "13.0", CUDA_13))
        .collect();
    let mut whole = search(&[
        ("NVCC", &compilers[0]),
        ("PATH", &places[1].path().join("bin")),
        ("CUDA_HOME", places[2].path()),
        ("CUDA_PATH", places[3].path()),
    ]);
    whole.usual = vec![places[4].path().to_owned()];
    whole.workspace_toolkit = Some(places[5].path().to_owned());
    for (i, name) in ["NVCC", "PATH", "CUDA_HOME", "CUDA_PATH"].iter().enumerate() {
        assert_eq!(whole.find().unwrap().nvcc.path, compilers[i], "{name}");
        whole.variables.remove(*name);
    }
    assert_eq!(whole.find().unwrap().nvcc.path, compilers[4], "usual folder");
    whole.usual.clear();
    assert_eq!(whole.find().unwrap().nvcc.path, compilers[5], "workspace toolkit");
}

#[test]
fn b108_a_missing_compiler_is_one_screen_with_the_remedy() {
    let nowhere = tempfile::tempdir().unwrap();
    let mut search = search(&[("PATH", nowhere.path()), ("CUDA_HOME", nowhere.path())]);
    search.usual = vec![PathBuf::from("/usr/local/cuda-that-is-not-there")];
    let text = search.find().unwrap_err().to_string();
    for part in [
        "NVCC",
        "PATH",
        "CUDA_HOME",
        "cuda-that-is-not-there",
        "cargo xtask cuda-toolkit",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert!(text.lines().count() <= 24, "{text}");
}

#[test]
fn s09_a_compiler_that_fails_is_an_error_with_its_path() {
    let root = tempfile::tempdir().unwrap();
    let nvcc = install_script(root.path(), "#!/bin/sh\necho 'libcuda is broken' >&2\nexit 1\n");
    let text = search(&[("NVCC", &nvcc)]).find().unwrap_err().to_string();
    assert!(
        text.contains("libcuda is broken") && text.contains(nvcc.to_str().unwrap()),
        "{text}"
    );

    fs::set_permissions(&nvcc, fs::Permissions::from_mode(0o644)).unwrap();
    let text = search(&[("NVCC", &nvcc)]).find().unwrap_err().to_string();
    assert!(text.contains("ermission denied"), "{text}");

    let nvcc = install_script(root.path(), "#!/bin/sh\necho hello\n");
    let error = search(&[("NVCC", &nvcc)]).find().unwrap_err();
    assert!(matches!(error, Error::NoVersion { .. }), "{error}");
}

#[test]
fn s09_release_12_10_is_newer_than_12_9() {
    let root = tempfile::tempdir().unwrap();
    install(root.path(), "12.10", CUDA_13);
    let found = search(&[("CUDA_HOME", root.path())]).find().unwrap().nvcc.version;
    assert!(found > Version { major: 12, minor: 9 } && found < Version { major: 13, minor: 0 });
}

#[test]
fn the_runtime_library_is_found_in_each_layout() {
    for folder in ["lib64", "targets/x86_64-linux/lib", "lib"] {
        let root = tempfile::tempdir().unwrap();
        install(root.path(), "13.0", CUDA_13);
        let toolkit = search(&[("CUDA_HOME", root.path())]).find().unwrap();
        let text = toolkit.library_folder("x86_64").unwrap_err().to_string();
        assert!(
            text.contains("lib64") && text.contains("targets/x86_64-linux/lib"),
            "{text}"
        );
        fs::create_dir_all(root.path().join(folder)).unwrap();
        fs::write(root.path().join(folder).join("libcudart_static.a"), "").unwrap();
        assert_eq!(
            toolkit.library_folder("x86_64").unwrap(),
            root.path().join(folder)
        );
    }
}

struct Project {
    root: tempfile::TempDir,
}

impl Project {
    fn new() -> Project {
        let root = tempfile::tempdir().unwrap();
        install(root.path(), "13.0", CUDA_13);
        fs::create_dir(root.path().join("include")).unwrap();
        let project = Project { root };
        project.write("include/shared.cuh", "constant 1\n");
        project.write("include/only_b.cuh", "constant 2\n");
        project.write("a.cu", "#include \"shared.cuh\"\na\n");
        project.write("b.cu", "#include \"shared.cuh\"\n#include \"only_b.cuh\"\nb\n");
        project
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    /// The units compiled by a build with these architectures, by name.
    fn build(&self, archs: &str) -> Result<Vec<String>, Error> {
        let toolkit = search(&[("CUDA_HOME", self.root.path())]).find()?;
        let plan = ArchPlan::choose(&toolkit.nvcc.archs, Some(archs))?;
        let built = KernelBuild::new("k")
            .units([self.path("a.cu"), self.path("b.cu")])
            .include(self.path("include"))
            .objects(&toolkit, &plan, &self.path("cache"), 2)?;
        assert_eq!(built.objects.len(), 2);
        assert_eq!(built.compiled.len() + built.reused.len(), 2);
        let name = |path: &PathBuf| path.file_name().unwrap().to_str().unwrap().to_owned();
        Ok(built.compiled.iter().map(|(unit, _)| name(unit)).collect())
    }
}

#[test]
fn b112_only_what_a_change_reaches_is_compiled_again() {
    let project = Project::new();
    assert_eq!(project.build("90").unwrap(), ["a.cu", "b.cu"]);
    assert!(project.build("90").unwrap().is_empty(), "nothing changed");
    project.write("include/only_b.cuh", "constant 3\n");
    assert_eq!(project.build("90").unwrap(), ["b.cu"]);
    project.write("include/shared.cuh", "constant 4\n");
    assert_eq!(project.build("90").unwrap(), ["a.cu", "b.cu"]);
    project.write("a.cu", "#include \"shared.cuh\"\nanother a\n");
    assert_eq!(project.build("90").unwrap(), ["a.cu"]);
    // A touched file with the same content is not a change.
    project.write("a.cu", "#include \"shared.cuh\"\nanother a\n");
    assert!(project.build("90").unwrap().is_empty());
}

#[test]
fn b112_other_architectures_or_another_compiler_compile_again() {
    let project = Project::new();
    project.build("90").unwrap();
    assert_eq!(project.build("80,90").unwrap(), ["a.cu", "b.cu"]);
    assert!(
        project.build("90").unwrap().is_empty(),
        "the first list's objects are kept"
    );
    install(project.root.path(), "13.1", CUDA_13);
    assert_eq!(project.build("90").unwrap(), ["a.cu", "b.cu"]);
}

#[test]
fn b112_the_object_holds_the_changed_header() {
    let project = Project::new();
    project.build("90").unwrap();
    project.write("include/only_b.cuh", "constant 77\n");
    let toolkit = search(&[("CUDA_HOME", project.root.path())]).find().unwrap();
    let plan = ArchPlan::choose(&toolkit.nvcc.archs, Some("90")).unwrap();
    let built = KernelBuild::new("k")
        .unit(project.path("b.cu"))
        .include(project.path("include"))
        .objects(&toolkit, &plan, &project.path("cache"), 1)
        .unwrap();
    assert!(fs::read_to_string(&built.objects[0])
        .unwrap()
        .contains("constant 77"));
    assert!(built.files.contains(&project.path("include/only_b.cuh")));
}

#[test]
fn a_unit_that_does_not_compile_is_named_with_the_compilers_words() {
    let project = Project::new();
    project.write("b.cu", "syntax_error\n");
    let error = project.build("90").unwrap_err();
    let text = error.to_string();
    assert!(matches!(error, Error::Compile { .. }), "{text}");
    assert!(
        text.contains("b.cu") && text.contains("expected a declaration"),
        "{text}"
    );
}
