//! Compiles the BPF programs if the feature `bpf` is on.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// BPF objects to compile: name of the object, name of its source, and an option of the compiler.
const OBJECTS: [(&str, &str, Option<&str>); 6] = [
    ("sender", "sender", None),
    ("sender_without_link", "sender", Some("-DWITHOUT_LINK")),
    ("forward", "forward", None),
    ("classes", "classes", None),
    ("clamp", "clamp", None),
    ("look", "look", None),
];
const ADVICE: &str = "The feature `bpf` of airfair-agent needs clang: Debian's packages clang, libelf-dev, zlib1g-dev and \
    pkg-config. Everything else builds without them.";

fn main() {
    println!("cargo::rerun-if-changed=bpf");
    println!("cargo::rerun-if-env-changed=CLANG");
    if env::var_os("CARGO_FEATURE_BPF").is_none() {
        return;
    }
    let into = PathBuf::from(env::var_os("OUT_DIR").expect("cargo says where to build"));
    let headers = env::var_os("DEP_BPF_INCLUDE").map(PathBuf::from);
    for (object, source, told) in OBJECTS {
        let mut command = clang(source, headers.as_deref());
        command.args(told).arg("-o").arg(into.join(format!("{object}.bpf.o")));
        run(command, source);
    }
}

fn clang(source: &str, headers: Option<&Path>) -> Command {
    let clang = env::var("CLANG").unwrap_or_else(|_| "clang".to_owned());
    let machine = match env::var("CARGO_CFG_TARGET_ARCH").as_deref() {
        Ok("aarch64") => "arm64",
        Ok("arm") => "arm",
        Ok("riscv64") => "riscv",
        Ok("mips") => "mips",
        Ok("s390x") => "s390",
        _ => "x86",
    };
    let byte_order =
        if env::var("CARGO_CFG_TARGET_ENDIAN").as_deref() == Ok("big") { "bpfeb" } else { "bpfel" };
    let mut command = Command::new(clang);
    command.args(["-g", "-O2", "-Wall", "-Werror", "-target", byte_order, "-c"]);
    command.arg(format!("-D__TARGET_ARCH_{machine}"));
    command.arg(format!("bpf/{source}.bpf.c"));
    if let Some(headers) = headers {
        command.arg("-I").arg(headers);
    }
    command
}

fn run(mut command: Command, source: &str) {
    match command.status() {
        Ok(status) if status.success() => {}
        Ok(status) => panic!("clang cannot compile bpf/{source}.bpf.c: {status}"),
        Err(error) => panic!("clang does not start: {error}. {ADVICE}"),
    }
}
