"""Checks a Debian package of the agent: its files, manual page and unit, installation and removal.

The installation needs root, and some checks need other programs. The script prints the checks that it skips.
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
    "usr/share/doc/airfair-agent/grafana.json",
    "usr/share/doc/airfair-agent/libraries",
    "usr/share/man/man8/airfair-agent.8.gz",
}
# Greatest exposure by the measure of `systemd-analyze security`, from 0 to 10. It cannot be 0, since the
# agent changes the network's settings and loads BPF programs.
EXPOSURE = 2.0


def main() -> None:
    """Check one package; the first failure ends the program."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("package", type=Path)
    package: Path = parser.parse_args().package.resolve()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        _run("dpkg-deb", "--extract", str(package), folder)
        files = {str(it.relative_to(root)) for it in root.rglob("*") if it.is_file()}
        _expect(files == FILES, f"files differ: {sorted(files ^ FILES)}")
        _check_program(root)
        _check_manual(root)
        _check_unit(root)
    _check_lintian(package)
    _check_install(package)
    print(f"{package}: tried")


def _check_program(root: Path) -> None:
    program = root / "usr/bin/airfair-agent"
    config = root / "etc/airfair/agent.toml"
    # The program accepts the configuration, and fails because the recording is empty.
    output = _run(
        str(program), "observe", "--from", "/dev/null", "--config", str(config), fails=True
    )
    _expect("recording is empty" in output, output)
    _expect(config.stat().st_mode & stat.S_IWOTH == 0, "others may write the configuration")


def _check_manual(root: Path) -> None:
    page = root / "usr/share/man/man8/airfair-agent.8.gz"
    if _is_here("man"):
        output = _run(
            "man", "--warnings", "--local-file", str(page), LC_ALL="C.UTF-8", MANWIDTH="80"
        )
        _expect("warning" not in output, output)
        for heading in ("SYNOPSIS", "OPTIONS", "CONFIGURATION", "FILES"):
            _expect(f"\n{heading}\n" in re.sub(".\b", "", output), f"no {heading}")
    if _is_here("mandoc"):
        output = _run("mandoc", "-T", "lint", "-W", "warning", str(page))
        _expect(not output.strip(), output)


def _check_unit(root: Path) -> None:
    unit = root / "lib/systemd/system/airfair-agent.service"
    help_text = _run(str(root / "usr/bin/airfair-agent"), "--help")
    text = unit.read_text()
    commands = re.findall(r"^Exec\w+=\+?(\S+) (\S+)$", text, re.MULTILINE)
    _expect(bool(commands), "the unit starts nothing")
    for program, command in commands:
        _expect((root / program[1:]).is_file(), f"the package has no {program}")
        _expect(f"\n  {command} " in help_text, f"{command} is no command")
    if not _is_here("systemd-analyze"):
        return
    # The copy of the unit names the unpacked program, so that none has to be installed on this machine.
    copy = root / unit.name
    copy.write_text(text.replace("/usr/bin/airfair-agent", str(root / "usr/bin/airfair-agent")))
    output = _run("systemd-analyze", "verify", "--man=no", str(copy))
    _expect("airfair" not in output, output)
    output = _run("systemd-analyze", "security", "--offline=true", "--no-pager", str(copy))
    exposure = re.search(r"Overall exposure level for \S+: ([\d.]+)", output)
    _expect(exposure is not None and float(exposure[1]) < EXPOSURE, output)


def _check_lintian(package: Path) -> None:
    if _is_here("lintian"):
        root = ["--allow-root"] if os.geteuid() == 0 else []
        print(_run("lintian", "--fail-on", "error", *root, str(package)), end="")


def _check_install(package: Path) -> None:
    """Install and purge the package in an empty tree; only dpkg's database may remain."""
    if os.geteuid() != 0:
        print("left out: installing it needs root")
        return
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        database = root / "var/lib/dpkg"
        for name in ("info", "updates", "triggers"):
            (database / name).mkdir(parents=True)
        (database / "status").touch()
        dpkg = ("dpkg", f"--root={root}", "--force-depends", "--force-script-chrootless")
        _run(*dpkg, "--install", str(package))
        _expect((root / "usr/bin/airfair-agent").is_file(), "it is not installed")
        _run(*dpkg, "--remove", "airfair-agent")
        _expect(
            (root / "etc/airfair/agent.toml").is_file(), "the configuration went with the program"
        )
        _run(*dpkg, "--purge", "airfair-agent")
        left = [it for it in root.rglob("*") if it.is_file() and database not in it.parents]
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
    """Run a command that must succeed, or must fail, and return its output."""
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env={**os.environ, **environment}
    )
    output = done.stdout + done.stderr
    _expect(
        (done.returncode != 0) == fails, f"{' '.join(command)}: status {done.returncode}\n{output}"
    )
    return output


def _expect(condition: object, message: str) -> None:
    if not condition:
        sys.exit(f"check_deb: {message}")


if __name__ == "__main__":
    main()
