"""Installs a wheel or a source archive with pip, and runs the first commands of a user.

A wheel must work without Rust and without a C compiler, so PATH excludes folders that contain them.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

COMPILERS = ("cargo", "rustc", "cc", "gcc", "clang")


def main() -> None:
    """Check one package; a command that fails ends the program with its output."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("package", type=Path, help="wheel, or archive of the sources")
    package: Path = parser.parse_args().package.resolve()
    with tempfile.TemporaryDirectory() as folder:
        _check(package, Path(folder))


def _check(package: Path, folder: Path) -> None:
    venv.create(folder / "venv", with_pip=True)
    programs = folder / "venv" / ("Scripts" if os.name == "nt" else "bin")
    environment = {
        **os.environ,
        "PATH": os.pathsep.join([str(programs), *_path(package)]),
        "AIRFAIR_CACHE": str(folder / "kept.sqlite"),
    }

    def run(*command: str) -> str:
        # The program is named by its path: `subprocess` searches this process's PATH.
        command = (str(programs / command[0]), *command[1:])
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            sys.exit(f"{' '.join(command)}: status {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout

    run("python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", str(package))
    version = run("airfair", "--version").strip()
    example = run("airfair", "init", "example", "--list").split()[0]
    run("airfair", "init", "example", example, "cell.toml")
    run("airfair", "check", "cell.toml")
    run("airfair", "run", "cell.toml", "--out", "results")
    run("airfair", "init", "study", "queue")
    run("airfair", "sweep", "queue/study.toml", "--replications", "2", "--no-store")
    run("airfair", "reproduce", "arf-aware-tcp/table2", "--quick", "--replications", "2")
    run(
        "python",
        "-c",
        "import airfair; print(airfair.run('cell.toml').airtime)",
    )
    page = subprocess.run(
        [str(programs / "airfair"), "init", "playground"], cwd=folder, env=environment, check=False
    )
    for made in ("results/report.html", "results/arf-aware-tcp/report.html"):
        if not (folder / made).is_file():
            sys.exit(f"{made}: not written")
    having = "with" if page.returncode == 0 else "without"
    print(f"{package.name}: installed and tried, {version}, {having} the playground")


def _path(package: Path) -> list[str]:
    """Return the folders of PATH, for a wheel without those that contain a compiler."""
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    if package.suffix != ".whl":
        return folders
    return [
        folder
        for folder in folders
        if not any(
            (Path(folder) / f"{name}{end}").exists() for name in COMPILERS for end in ("", ".exe")
        )
    ]


if __name__ == "__main__":
    main()
