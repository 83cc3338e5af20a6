"""Checks a package of the agent for OpenWrt: its files, its installation and its init script.

Neither procd nor UCI's functions are part of Debian. Functions of this file stand in for them in busybox's
shell, which is OpenWrt's. The program runs in an empty tree, so that it cannot use a library of this machine.
"""

from __future__ import annotations

import argparse
import io
import os
import platform
import shutil
import stat
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

FILES = {
    "./etc/config/airfair": 0o600,
    "./etc/init.d/airfair-agent": 0o755,
    "./usr/bin/airfair-agent": 0o755,
}
CONTROL = {"./control", "./conffiles", "./postinst", "./prerm"}
LARGEST_KB = 1100
"""Greatest size of a package [kB]: routers with 128 MB of flash have room enough."""
_CONFIG = """\
config agent 'agent'
    option enabled '{enabled}'
    option interface 'wlan0'
    option polls '{polls}'
"""
# The functions read UCI with sed, as far as this test's configuration needs it.
_STAND_IN = """\
config_load() { file=/etc/config/$1; }
config_foreach() { $1 agent; }
config_get_bool() {
    value=$(sed -n "s/^ *option $3 '\\(.*\\)'$/\\1/p" $file)
    eval "$1=\\${value:-$4}"
}
procd_open_instance() { echo open; }
procd_set_param() { echo "set $*"; }
procd_close_instance() { echo close; }
procd_add_reload_trigger() { echo "reload on $*"; }
. /etc/init.d/airfair-agent
"$@"
"""


def main() -> None:
    """Check one package; the first failure ends the program."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("package", type=Path)
    package: Path = parser.parse_args().package.resolve()
    kb = package.stat().st_size / 1000
    _expect(kb < LARGEST_KB, f"{package.name} has {kb:.0f} kB; allowed are {LARGEST_KB} kB")
    with tarfile.open(package) as parts:
        _expect(_octets(parts, "./debian-binary") == b"2.0\n", "debian-binary is not 2.0")
        inner = [io.BytesIO(_octets(parts, f"./{name}.tar.gz")) for name in ("control", "data")]
    with (
        tarfile.open(fileobj=inner[0]) as control,
        tarfile.open(fileobj=inner[1]) as data,
        tempfile.TemporaryDirectory() as folder,
    ):
        _check_control(control)
        root = Path(folder)
        _check_files(data, root)
        _check_scripts(control, root)
        _check_program(root)
    print(f"{package}: tried, {kb:.0f} kB")


def _check_control(control: tarfile.TarFile) -> None:
    names = {it.name for it in control.getmembers() if it.isfile()}
    _expect(names == CONTROL, f"control files differ: {sorted(names ^ CONTROL)}")
    text = _octets(control, "./control").decode()
    fields = dict(line.split(": ", 1) for line in text.splitlines())
    for name in ("Package", "Version", "Depends", "Architecture", "Installed-Size", "Description"):
        _expect(fields.get(name), f"control has no {name}:\n{text}")
    _expect(_octets(control, "./conffiles") == b"/etc/config/airfair\n", "conffiles differ")


def _check_files(data: tarfile.TarFile, root: Path) -> None:
    files = {it.name: stat.S_IMODE(it.mode) for it in data.getmembers() if it.isfile()}
    _expect(files == FILES, f"files or modes differ: {files}")
    _expect(all(it.uid == it.gid == 0 for it in data.getmembers()), "not all files are root's")
    data.extractall(root, filter="tar")


def _check_scripts(control: tarfile.TarFile, root: Path) -> None:
    """Install the scripts with a stand-in for OpenWrt's functions, and run the init script's functions."""
    busybox = shutil.which("busybox")
    if busybox is None or os.geteuid() != 0:
        print("left out: the scripts need root and busybox: Debian's package busybox-static")
        return
    (root / "bin").mkdir()
    shutil.copy(busybox, root / "bin/busybox")
    for name in ("sh", "sed", "echo"):
        (root / "bin" / name).symlink_to("busybox")
    (root / "stand-in").write_text(_STAND_IN)
    functions = root / "lib/functions.sh"
    for name in ("postinst", "prerm"):
        (root / name).write_bytes(_octets(control, f"./{name}"))
        # Without OpenWrt's functions, as while an image is built, the script does nothing.
        _expect(_in(root, "sh", f"/{name}") == "", f"{name} does something")
    functions.parent.mkdir()
    functions.write_text('default_postinst() { echo "on $1"; }\ndefault_prerm() { echo "off $1"; }')
    _expect(_in(root, "sh", "/postinst") == "on /postinst\n", "postinst")
    _expect(_in(root, "sh", "/prerm") == "off /prerm\n", "prerm")
    config = root / "etc/config/airfair"
    start = ("sh", "/stand-in", "start_service")
    output = _in(root, *start)
    _expect("uci set airfair.agent.enabled=1" in output and "open" not in output, output)
    config.write_text(_CONFIG.format(enabled="1", polls="5"))
    lines = _in(root, *start).splitlines()
    _expect(lines[0] == "open" and lines[-1] == "close", lines)
    command = "set command /usr/bin/airfair-agent run --config /etc/config/airfair"
    for line in (command, "set file /etc/config/airfair"):
        _expect(line in lines, f"{line!r} is missing in {lines}")
    _expect(any(line.startswith("set respawn ") for line in lines), lines)
    triggers = _in(root, "sh", "/stand-in", "service_triggers")
    _expect(triggers == "reload on airfair\n", triggers)


def _check_program(root: Path) -> None:
    """Run the program in the tree, with the installed configuration and with a wrong one."""
    program = root / "usr/bin/airfair-agent"
    head = program.read_bytes()[:20]
    own = {"x86_64": 62, "aarch64": 183, "armv7l": 40}.get(platform.machine())
    if int.from_bytes(head[18:20], "little") != own or os.geteuid() != 0:
        print(f"left out: running the program needs root and its processor, not {own}")
        return
    (root / "proc").mkdir()
    (root / "empty").touch()
    observe = ("/usr/bin/airfair-agent", "observe", "--from", "/empty")
    config = root / "etc/config/airfair"
    # The tree has no /proc, by whose owner the agent knows its user.
    (root / "proc/self").mkdir()
    config.chmod(0o600)
    output = _in(root, *observe, fails=True)
    _expect("recording is empty" in output, output)
    config.write_text(_CONFIG.format(enabled="1", polls="many"))
    output = _in(root, *observe, fails=True)
    expected = "/etc/config/airfair: line 4: option polls 'many': allowed is a whole number"
    _expect(expected in output, output)


def _octets(archive: tarfile.TarFile, name: str) -> bytes:
    file = archive.extractfile(name)
    _expect(file is not None, f"{name} is missing")
    return file.read() if file else b""


def _in(root: Path, *command: str, fails: bool = False) -> str:
    """Run a command in the tree, which must succeed or fail, and return its output."""
    done = subprocess.run(["chroot", root, *command], capture_output=True, text=True, check=False)
    output = done.stdout + done.stderr
    _expect((done.returncode != 0) == fails, f"{command}: status {done.returncode}\n{output}")
    return output


def _expect(condition: object, message: object) -> None:
    if not condition:
        sys.exit(f"check_ipk: {message}")


if __name__ == "__main__":
    main()
