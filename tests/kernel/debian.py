"""A small Debian with systemd in place of the shell that a machine of `machine` boots to.

Packages of the distribution that runs here come by `apt-get download` once, and lie in `target/kernel`. They
are unpacked and not configured: systemd makes at its start what it needs. dpkg knows of them, so that a
package can be installed in the machine. Then the script runs, as a service behind all the others.
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
    # What another package than these has beside the C library: that of the agent.
    *("libelf1", "zlib1g", "libgcc-s1"),
    # Else a program that merges folders of an old system would come, with Perl and all its modules.
    "usr-is-merged",
)
MERGED = ("bin", "sbin", "lib", "lib64")
"""Folders that lie in `usr`."""
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
    # Not the first boot, which asks.
    "etc/machine-id": b"0123456789abcdef0123456789abcdef\n",
    f"{_UNITS}/test.service": _SERVICE.encode(),
    f"{_UNITS}/multi-user.target.wants/test.service": "../test.service",
    f"{_UNITS}/default.target": "/lib/systemd/system/multi-user.target",
    # Nobody logs in.
    "etc/systemd/system-generators/systemd-getty-generator": "/dev/null",
    f"{_UNITS}/getty-static.service": "/dev/null",
    "var/run": "/run",
    "usr/sbin/modprobe": "/usr/bin/busybox",
}


def missing() -> list[str]:
    """Return what is not here of a Debian, a line each."""
    found = lacking({"dpkg-deb": "dpkg"})
    if not _FOLDER.exists():
        found.append("its packages: tests/kernel/debian.py fetches them")
    return found


def fetch() -> None:
    """Put the packages, with all that they need, into `target/kernel/debian`, unless they are there."""
    if _FOLDER.exists():
        return
    half = _FOLDER.with_suffix(f".{os.getpid()}")
    (half / "partial").mkdir(parents=True)
    options = {
        "Dir::State::status": "/dev/null",  # As on a machine that has nothing.
        "Dir::Cache::archives": str(half),
        "Debug::NoLocking": "true",
        "APT::Install-Recommends": "false",
        "APT::Sandbox::User": "root",
    }
    given = [word for name, value in options.items() for word in ("--option", f"{name}={value}")]
    command = ["apt-get", "--quiet", "--yes", "--download-only", *given, "install", *PACKAGES]
    try:
        subprocess.run(command, check=True)
        (half / "partial").rmdir()
        half.rename(_FOLDER)
    finally:
        shutil.rmtree(half, ignore_errors=True)


def system(files: Files) -> Files:
    """Make a Debian of a machine's files."""
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
    return merged(files | _books() | _OWN)


def merged(files: Files) -> Files:
    """Return the files with folders merged into `usr`, as Debian has them since 12."""
    within = {
        f"usr/{path}" if path.partition("/")[0] in MERGED else path: content
        for path, content in files.items()
    }
    return within | {it: f"usr/{it}" for it in MERGED}


def _books() -> Files:
    """Return the books of dpkg, in which all packages are installed and none has files."""
    status = b""
    lists: Files = {}
    for package in _packages():
        shown = ["--show", "--showformat", "${Package};${Architecture};${Multi-Arch}"]
        name, architecture, multiple = _tell(*shown, package).decode().split(";")
        status += b"Status: install ok installed\n" + _tell("--field", package).strip() + b"\n\n"
        both = f"{name}:{architecture}" if multiple == "same" else name
        lists[f"{_DPKG}/info/{both}.list"] = b""
    return lists | {f"{_DPKG}/status": status, f"{_DPKG}/info/format": b"1\n"}


def _tell(*words: str | Path) -> bytes:
    return subprocess.run(["dpkg-deb", *words], check=True, capture_output=True).stdout


def _packages() -> list[Path]:
    return sorted(_FOLDER.glob("*.deb"))


def _unpacked() -> Path:
    root = _FOLDER / "root"
    if not root.exists():
        half = root.with_suffix(f".{os.getpid()}")
        for package in _packages():
            subprocess.run(["dpkg-deb", "--extract", package, half], check=True)
        try:
            half.rename(root)
        except OSError:  # Another process was faster.
            shutil.rmtree(half)
    return root


if __name__ == "__main__":
    try:
        fetch()
    except (OSError, subprocess.CalledProcessError) as problem:
        sys.exit(f"a Debian with systemd cannot be had: {problem}")
