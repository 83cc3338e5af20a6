"""Tries a Debian package of the agent: files, manual page, unit, and that it can be installed and purged.

Without root nothing is installed, and what is not here is left out; both are said.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

FILES = {
    "etc/airfair/agent.toml",
    "lib/systemd/system/airfair-agent.service",
    "usr/bin/airfair-agent",
    "usr/share/doc/airfair-agent/CHANGELOG.md.gz",
    "usr/share/doc/airfair-agent/changelog.gz",
    "usr/share/doc/airfair-agent/copyright",
    "usr/share/doc/airfair-agent/libraries",
    "usr/share/man/man8/airfair-agent.8.gz",
}
# Largest exposure as systemd counts it, from 0 to 10: it sets up the network and loads BPF programs.
EXPOSURE = 2.0


def main() -> None:
    """Try one package; the first thing that is wrong ends the program."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("package", type=Path)
    package: Path = parser.parse_args().package.resolve()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        _run("dpkg-deb", "--extract", str(package), folder)
        files = {str(it.relative_to(root)) for it in root.rglob("*") if it.is_file()}
        _expect(files == FILES, f"files differ: {sorted(files ^ FILES)}")
        _try_program(root)
        _try_manual(root)
        _try_unit(root)
    _try_lintian(package)
    _try_install(package)
    print(f"{package}: tried")


def _try_program(root: Path) -> None:
    program = root / "usr/bin/airfair-agent"
    config = root / "etc/airfair/agent.toml"
    # It gets past the configuration, and as far as a recording in which there is nothing.
    said = _run(str(program), "observe", "--from", "/dev/null", "--config", str(config), fails=True)
    _expect("recording is empty" in said, said)
    _expect(config.stat().st_mode & stat.S_IWOTH == 0, "others may write the configuration")


def _try_manual(root: Path) -> None:
    page = root / "usr/share/man/man8/airfair-agent.8.gz"
    if _is_here("man"):
        said = _run("man", "--warnings", "--local-file", str(page), LC_ALL="C.UTF-8", MANWIDTH="80")
        _expect("warning" not in said, said)
        for heading in ("SYNOPSIS", "OPTIONS", "CONFIGURATION", "FILES"):
            _expect(f"\n{heading}\n" in re.sub(".\b", "", said), f"no {heading}")
    if _is_here("mandoc"):
        said = _run("mandoc", "-T", "lint", "-W", "warning", str(page))
        _expect(not said.strip(), said)


def _try_unit(root: Path) -> None:
    unit = root / "lib/systemd/system/airfair-agent.service"
    words = _run(str(root / "usr/bin/airfair-agent"), "--help")
    text = unit.read_text()
    commands = re.findall(r"^Exec\w+=\+?(\S+) (\S+)$", text, re.MULTILINE)
    _expect(bool(commands), "the unit starts nothing")
    for program, command in commands:
        _expect((root / program[1:]).is_file(), f"the package has no {program}")
        _expect(f"\n  {command} " in words, f"{command} is no command")
    if not _is_here("systemd-analyze"):
        return
    # The unit names a program that need not be installed here: one that is stands for it.
    elsewhere = root / unit.name
    elsewhere.write_text(
        text.replace("/usr/bin/airfair-agent", str(root / "usr/bin/airfair-agent"))
    )
    said = _run("systemd-analyze", "verify", "--man=no", str(elsewhere))
    _expect("airfair" not in said, said)
    said = _run("systemd-analyze", "security", "--offline=true", "--no-pager", str(elsewhere))
    exposure = re.search(r"Overall exposure level for \S+: ([\d.]+)", said)
    _expect(exposure is not None and float(exposure[1]) < EXPOSURE, said)


def _try_lintian(package: Path) -> None:
    if _is_here("lintian"):
        root = ["--allow-root"] if os.geteuid() == 0 else []
        print(_run("lintian", "--fail-on", "error", *root, str(package)), end="")


def _try_install(package: Path) -> None:
    """Install and purge in an empty tree: nothing but dpkg's own books is left."""
    if os.geteuid() != 0:
        print("left out: installing it needs root")
        return
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        books = root / "var/lib/dpkg"
        for name in ("info", "updates", "triggers"):
            (books / name).mkdir(parents=True)
        (books / "status").touch()
        dpkg = ("dpkg", f"--root={root}", "--force-depends", "--force-script-chrootless")
        _run(*dpkg, "--install", str(package))
        _expect((root / "usr/bin/airfair-agent").is_file(), "it is not installed")
        _run(*dpkg, "--remove", "airfair-agent")
        _expect(
            (root / "etc/airfair/agent.toml").is_file(), "the configuration went with the program"
        )
        _run(*dpkg, "--purge", "airfair-agent")
        left = [it for it in root.rglob("*") if it.is_file() and books not in it.parents]
        left += [
            it for it in (root / "etc/airfair", root / "usr/share/doc/airfair-agent") if it.exists()
        ]
        _expect(not left, f"it leaves {left}")


def _is_here(program: str) -> bool:
    if shutil.which(program) is None:
        print(f"left out: {program} is not here")
        return False
    return True


def _run(*command: str, fails: bool = False, **environment: str) -> str:
    """Everything that a command says, which has to succeed, or to fail."""
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env={**os.environ, **environment}
    )
    said = done.stdout + done.stderr
    _expect(
        (done.returncode != 0) == fails, f"{' '.join(command)}: status {done.returncode}\n{said}"
    )
    return said


def _expect(is_so: object, else_say: str) -> None:
    if not is_so:
        sys.exit(f"check_deb: {else_say}")


if __name__ == "__main__":
    main()
