//! Fetches nauty's C sources through cargo and compiles the few files needed.
//!
//! The sources come with the crate nauty-Traces-sys, whose own build wants libclang; so its manifest is
//! only resolved (see source/manifest.toml), which downloads it where cargo keeps all crates, and the C
//! files are compiled here with hand-written declarations. Whatever fails, the crate still builds: it
//! then says that nauty is unavailable and why.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// The files that sparsenauty and Traces need. The plain ones define nauty's kill flag and its random
/// numbers, the others use them.
const KILLABLE: [&str; 5] = ["nauty.c", "nausparse.c", "naugraph.c", "schreier.c", "traces.c"];
const PLAIN: [&str; 2] = ["nautil.c", "naurng.c"];

fn main() {
    println!("cargo:rustc-check-cfg=cfg(have_nauty)");
    for input in ["build.rs", "src/shim.c", "source"] {
        println!("cargo:rerun-if-changed={input}");
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let reason = match find_sources(&out).and_then(|sources| compile(&sources)) {
        Ok(()) => {
            println!("cargo:rustc-cfg=have_nauty");
            String::new()
        }
        Err(reason) => {
            println!("cargo:warning=building without nauty and Traces: {reason}");
            // a file that never exists: try again with the next build
            println!("cargo:rerun-if-changed=nauty-was-unavailable");
            reason
        }
    };
    fs::write(out.join("reason.txt"), reason).expect("OUT_DIR is writable");
}

/// The folder with nauty.h, downloaded if need be.
fn find_sources(out: &Path) -> Result<PathBuf, String> {
    let manifest = copy_manifest(out).map_err(|e| format!("cannot write to {out:?}: {e}"))?;
    let package = resolve(&manifest, true).or_else(|_| resolve(&manifest, false))?;
    let folders = fs::read_dir(package.join("src")).map_err(|e| format!("{package:?}: {e}"))?;
    folders
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .find(|folder| folder.join("nauty.h").is_file())
        .ok_or_else(|| format!("no nauty.h below {package:?}"))
}

/// Resolving writes beside the manifest, so it works on a copy. Manifests have another name here: cargo leaves packages
/// inside a package out when it packs one.
fn copy_manifest(out: &Path) -> std::io::Result<PathBuf> {
    let (from, to) = (Path::new("source"), out.join("source"));
    for file in [
        "manifest.toml",
        "Cargo.lock",
        "src/lib.rs",
        "no-bindgen/manifest.toml",
        "no-bindgen/src/lib.rs",
    ] {
        let target = to.join(file.replace("manifest", "Cargo"));
        fs::create_dir_all(target.parent().unwrap_or(&to))?;
        fs::copy(from.join(file), target)?;
    }
    Ok(to.join("Cargo.toml"))
}

/// Where cargo keeps the crate with the sources.
fn resolve(manifest: &Path, offline: bool) -> Result<PathBuf, String> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command
        .args(["metadata", "--format-version", "1", "--locked", "--manifest-path"])
        .arg(manifest);
    if offline {
        command.arg("--offline");
    }
    let output = command.output().map_err(|e| format!("cannot run cargo: {e}"))?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr);
        let last = text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
        return Err(format!("cannot fetch the crate nauty-Traces-sys ({})", last.trim()));
    }
    let document: serde_json::Value =
        serde_json::from_slice(&output.stdout).map_err(|e| format!("cargo metadata: {e}"))?;
    let packages = document["packages"].as_array().map(Vec::as_slice).unwrap_or_default();
    packages
        .iter()
        .find(|package| package["name"] == "nauty-Traces-sys")
        .and_then(|package| Path::new(package["manifest_path"].as_str()?).parent())
        .map(Path::to_path_buf)
        .ok_or_else(|| "cargo metadata does not list nauty-Traces-sys".to_string())
}

fn compile(sources: &Path) -> Result<(), String> {
    let paths = |files: &[&str]| files.iter().map(|file| sources.join(file)).collect::<Vec<_>>();
    let mut plain = settings(sources);
    allocate_through_shim(&mut plain);
    plain.files(paths(&PLAIN));
    let mut killable = settings(sources);
    allocate_through_shim(&mut killable);
    killable.define("nauty_kill_request", "(*pidlab_kill_flag())");
    killable.define("ran_nextran", "pidlab_ran_nextran").files(paths(&KILLABLE));
    let mut shim = settings(sources);
    shim.define("nauty_kill_request", "(*pidlab_kill_flag())").file("src/shim.c");
    let mut objects = Vec::new();
    for build in [&plain, &killable, &shim] {
        objects.extend(build.try_compile_intermediates().map_err(|e| format!("C compiler: {e}"))?);
    }
    let mut library = cc::Build::new();
    library.objects(objects).try_compile("pidlab_nauty_c").map_err(|e| format!("linking: {e}"))
}

/// Optimised in every profile: a slow nauty would be an unfair opponent.
fn settings(sources: &Path) -> cc::Build {
    let mut build = cc::Build::new();
    build.include(sources).opt_level(3).debug(false).warnings(false);
    build.define("USE_TLS", None);
    if env::var("CARGO_CFG_TARGET_POINTER_WIDTH").as_deref() == Ok("64") {
        build.define("WORDSIZE", "64");
    }
    build
}

fn allocate_through_shim(build: &mut cc::Build) {
    for function in ["malloc", "calloc", "realloc", "free"] {
        build.define(function, Some(format!("pidlab_{function}").as_str()));
    }
}
