"""Builds a small Debian with systemd, which a machine of machine.py boots in place of a shell.

`fetch` downloads packages of the host's distribution into `target/kernel` once. They are unpacked but not
configured, since systemd creates the files that it needs at its start. dpkg's database lists the packages, so
that the machine can install a package. The test's script runs as the last service.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from machine import END, STORE, Files, lacking

PACKAGES = (
    *("systemd", "libnss-systemd", "init-system-helpers", "perl-base", "dpkg", "libc-bin"),
    # Libraries that the agent's package needs, in addition to the C library.
    *("libelf1", "zlib1g", "libgcc-s1"),
    # Without this package apt would install `usrmerge`, with Perl and all its modules.
    "usr-is-merged",
)
MERGED = ("bin", "sbin", "lib", "lib64")
"""Folders that are links to those in `usr`."""
LEFT_OUT = ("usr/share/doc", "usr/share/man", "usr/share/locale", "usr/share/bash-completion")
_FOLDER = STORE / "debian"
_SERVICE = f"""\
[Unit]
Description=The script of the test
After=multi-user.target
[Service]
Type=oneshot
WorkingDirectory=/test
ExecStart=/bin/sh -c 'sh -e ./script 2>&1; echo "{END}$?"'
ExecStart=/bin/busybox poweroff -f
StandardOutput=file:/dev/ttyS0
"""
_DPKG = "var/lib/dpkg"
_UNITS = "etc/systemd/system"
_OWN: Files = {
    "init": "usr/lib/systemd/systemd",
    "etc/passwd": b"root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/:/usr/sbin/nologin\n",
    "etc/group": b"root:x:0:\nnogroup:x:65534:\n",
    "etc/hostname": b"machine\n",
    "etc/nsswitch.conf": b"passwd: files systemd\ngroup: files systemd\n",
    # With a machine ID systemd does not treat the boot as the first one, at which it asks questions.
    "etc/machine-id": b"0123456789abcdef0123456789abcdef\n",
    f"{_UNITS}/test.service": _SERVICE.encode(),
    f"{_UNITS}/multi-user.target.wants/test.service": "../test.service",
    f"{_UNITS}/default.target": "/lib/systemd/system/multi-user.target",
    # No log-in on the console.
    "etc/systemd/system-generators/systemd-getty-generator": "/dev/null",
    f"{_UNITS}/getty-static.service": "/dev/null",
    "var/run": "/run",
    "usr/sbin/modprobe": "/usr/bin/busybox",
}


def missing() -> list[str]:
    """Return a line for each missing requirement to build a Debian."""
    found = lacking({"dpkg-deb": "dpkg"})
    if not _FOLDER.exists():
        found.append("its packages: tests/kernel/debian.py fetches them")
    return found


def fetch() -> None:
    """Download the packages and their dependencies to `target/kernel/debian`, unless this is done."""
    if _FOLDER.exists():
        return
    unfinished = _FOLDER.with_suffix(f".{os.getpid()}")
    (unfinished / "partial").mkdir(parents=True)
    options = {
        "Dir::State::status": "/dev/null",  # An empty list of packages makes apt download all dependencies.
        "Dir::Cache::archives": str(unfinished),
        "Debug::NoLocking": "true",
        "APT::Install-Recommends": "false",
        "APT::Sandbox::User": "root",
    }
    given = [word for name, value in options.items() for word in ("--option", f"{name}={value}")]
    command = ["apt-get", "--quiet", "--yes", "--download-only", *given, "install", *PACKAGES]
    try:
        subprocess.run(command, check=True)
        (unfinished / "partial").rmdir()
        unfinished.rename(_FOLDER)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def system(files: Files) -> Files:
    """Add a Debian to the files of a machine."""
    root = _unpacked()
    files = dict(files)
    for folder, inner, names in os.walk(root):
        here = Path(folder).relative_to(root)
        inner[:] = [it for it in inner if str(here / it) not in LEFT_OUT]
        for path in (Path(folder) / name for name in [*names, *inner]):
            if path.is_symlink():
                files[str(here / path.name)] = str(path.readlink())
            elif path.is_file():
                files[str(here / path.name)] = path
    return merged(files | _dpkg_database() | _OWN)


def merged(files: Files) -> Files:
    """Return the files, with the folders `MERGED` inside `usr`, as in Debian since version 12."""
    moved = {
        f"usr/{path}" if path.partition("/")[0] in MERGED else path: content
        for path, content in files.items()
    }
    return moved | {it: f"usr/{it}" for it in MERGED}


def _dpkg_database() -> Files:
    """Return dpkg's database, in which all packages are installed and none has files."""
    status = b""
    lists: Files = {}
    for package in _packages():
        shown = ["--show", "--showformat", "${Package};${Architecture};${Multi-Arch}"]
        name, architecture, multiple = _dpkg_deb(*shown, package).decode().split(";")
        status += (
            b"Status: install ok installed\n" + _dpkg_deb("--field", package).strip() + b"\n\n"
        )
        both = f"{name}:{architecture}" if multiple == "same" else name
        lists[f"{_DPKG}/info/{both}.list"] = b""
    return lists | {f"{_DPKG}/status": status, f"{_DPKG}/info/format": b"1\n"}


def _dpkg_deb(*words: str | Path) -> bytes:
    return subprocess.run(["dpkg-deb", *words], check=True, capture_output=True).stdout


def _packages() -> list[Path]:
    return sorted(_FOLDER.glob("*.deb"))


def _unpacked() -> Path:
    root = _FOLDER / "root"
    if not root.exists():
        unfinished = root.with_suffix(f".{os.getpid()}")
        for package in _packages():
            subprocess.run(["dpkg-deb", "--extract", package, unfinished], check=True)
        try:
            unfinished.rename(root)
        except OSError:  # Another process has unpacked them first.
            shutil.rmtree(unfinished)
    return root


if __name__ == "__main__":
    try:
        fetch()
    except (OSError, subprocess.CalledProcessError) as problem:
        sys.exit(f"a Debian with systemd cannot be had: {problem}")
