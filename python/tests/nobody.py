"""Commands that root runs as a user without any rights, in tests of what an ordinary user may do."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from enum import Enum
from pathlib import Path
from typing import Any

import pytest

import airfair

NOBODY = 65_534
TUN = Path("/dev/net/tun")

# In a mount namespace of its own, a folder that is root's alone shows nothing but this Python, and a file
# that nobody may open hides the device.
_SCRIPT = """
set -eu
closed=$1 python=$2 device=$3
shift 3
if [ -n "$closed" ]; then
    keep=$(mktemp -d)
    mount --bind "$python" "$keep"
    mount -t tmpfs -o mode=755 none "$closed"
    mkdir -p "$python"
    mount --bind "$keep" "$python"
    umount "$keep"
    rmdir "$keep"
fi
if [ "$device" = closed ]; then
    mount -t tmpfs -o mode=755 none /dev/net
    : > /dev/net/tun
    chmod 0 /dev/net/tun
fi
exec setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
"""


class Device(Enum):
    """Access of nobody to `/dev/net/tun`."""

    OPEN = "open"
    CLOSED = "closed"


def _closed_parent(path: Path) -> Path | None:
    """Folder above `path` that only its owner enters; `None` if there is none."""
    parents = reversed(path.resolve().parents)
    return next((it for it in parents if not it.stat().st_mode & stat.S_IXOTH), None)


def command(words: Sequence[str], device: Device = Device.OPEN) -> list[str]:
    """Command line that runs `words` as nobody; skips the test where this is not possible."""
    if os.geteuid() != 0:
        pytest.skip("only root becomes somebody without any rights")
    if not (shutil.which("unshare") and shutil.which("setpriv")):
        pytest.skip("unshare and setpriv of util-linux are missing")
    if device is Device.OPEN and not (TUN.exists() and TUN.stat().st_mode & 0o006 == 0o006):
        pytest.skip("/dev/net/tun is not open to everybody here")
    places = (Path(sys.prefix), Path(airfair.__file__))
    if any(_closed_parent(place) is not None for place in places):
        pytest.skip("this airfair is root's alone")
    python = Path(sys.base_prefix).resolve()
    closed = _closed_parent(python)
    script = [_SCRIPT, "sh", "" if closed is None else str(closed), str(python), device.value]
    return ["unshare", "--mount", "--propagation", "private", "sh", "-c", *script, *words]


def home(folder: Path) -> Path:
    """Home of nobody, below the folders that pytest has made for root alone."""
    own = Path(tempfile.gettempdir()).resolve()
    for each in (folder, *folder.parents):
        if own not in each.resolve().parents:
            break
        each.chmod(0o755)
    path = folder / "home"
    path.mkdir()
    os.chown(path, NOBODY, NOBODY)
    return path


def options(folder: Path) -> dict[str, Any]:
    """Options of `subprocess` for the environment of nobody."""
    where = str(home(folder))
    own = {"HOME": where, "XDG_RUNTIME_DIR": where, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    return {"env": {**os.environ, **own}, "cwd": where}


def run(
    words: Sequence[str], folder: Path, device: Device = Device.OPEN
) -> subprocess.CompletedProcess[str]:
    """Run `words` as nobody, whose home is made in `folder`; skips the test without user namespaces."""
    code = "import airfair._core as c; c.emulation_isolate(); c.emulation_try('veth')"
    tried = subprocess.run(
        command([sys.executable, "-c", code], Device.CLOSED), capture_output=True, check=False
    )
    if tried.returncode != 0:
        pytest.skip("user namespaces are not permitted to nobody here")
    return subprocess.run(
        command(words, device),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        **options(folder),
    )
