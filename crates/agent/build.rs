//! Compiles what runs in the kernel, where the feature `bpf` asks for it.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

const PROGRAMS: [&str; 1] = ["sender"];
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
    for program in PROGRAMS {
        compile(program, &into, headers.as_deref());
    }
}

fn compile(program: &str, into: &Path, headers: Option<&Path>) {
    let clang = env::var("CLANG").unwrap_or_else(|_| "clang".to_owned());
    let machine = match env::var("CARGO_CFG_TARGET_ARCH").as_deref() {
        Ok("aarch64") => "arm64",
        Ok("arm") => "arm",
        Ok("riscv64") => "riscv",
        _ => "x86",
    };
    let mut command = Command::new(clang);
    command.args(["-g", "-O2", "-Wall", "-Werror", "-target", "bpf", "-c"]);
    command.arg(format!("-D__TARGET_ARCH_{machine}"));
    command.arg(format!("bpf/{program}.bpf.c"));
    command.arg("-o").arg(into.join(format!("{program}.bpf.o")));
    if let Some(headers) = headers {
        command.arg("-I").arg(headers);
    }
    match command.status() {
        Ok(status) if status.success() => {}
        Ok(status) => panic!("clang cannot compile bpf/{program}.bpf.c: {status}"),
        Err(error) => panic!("clang does not start: {error}. {ADVICE}"),
    }
}
