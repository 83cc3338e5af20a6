"""A Linux of Debian's in QEMU: a script runs in it, and a test reads what the script has said.

QEMU computes every instruction (TCG), so that neither KVM nor root is needed. With `icount` an
instruction of the machine lasts a nanosecond of its time, and a machine that waits goes on to what comes
next at once: its clock knows nothing of how busy the host is, and figures repeat.

The machine boots from an initial RAM disk: busybox with a shell, the programs that a test names with
their libraries, the kernel's modules that it names with those that they need, files of its own, and
`prelude.sh`. There is no disk and no network. The kernel is the one of Debian's package, which is
installed or lies in `target/kernel`; `fetch` puts it there.
"""

from __future__ import annotations

import lzma
import os
import re
import shutil
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
STORE = ROOT / "target" / "kernel"
QEMU = "qemu-system-x86_64"
META_PACKAGE = "linux-image-amd64"
NEEDED = {
    QEMU: "qemu-system-x86",
    "busybox": "busybox-static",
    "dash": "dash",
    "depmod": "kmod",
    "ip": "iproute2",
    "iw": "iw",
    "hostapd": "hostapd",
}
"""Programs that the tests need, and Debian's packages of them."""
END = "airfair: the script has ended with "
"""The last line of every script, in front of its status."""

_INIT = """\
#!/bin/sh
mount -t proc proc /proc; mount -t sysfs sysfs /sys; mount -t devtmpfs dev /dev; mount -t tmpfs tmp /tmp
mkdir -p /dev/pts /run /var/run /sys/fs/bpf; mount -t tmpfs run /run; mount -t bpf bpf /sys/fs/bpf 2>/dev/null
hostname machine; ip link set lo up
cd /test; sh -e ./script </dev/null 2>&1
echo "{end}$?"
poweroff -f
"""


Files = dict[str, Path | bytes | str]
"""Files of a machine by their paths: a file of the host, octets, or where a link leads."""


class MissingError(Exception):
    """Something that a machine needs is not here."""


@dataclass(frozen=True)
class Kernel:
    """A kernel: its image, and the folder of its modules."""

    image: Path
    modules: Path

    def needed(self, names: Sequence[str]) -> list[Path]:
        """Return files of modules by name, each behind those that it needs."""
        depends: dict[str, list[str]] = {}
        for line in self.dependencies().splitlines():
            name, _, needs = line.partition(":")
            depends[name] = needs.split()
        paths = {_module_name(path): path for path in depends}
        found: list[str] = []

        def add(path: str) -> None:
            if path not in found:
                for need in reversed(depends[path]):
                    add(need)
                found.append(path)

        for name in names:
            if name.replace("-", "_") not in paths:
                raise MissingError(f"the kernel {self.modules.name} has no module {name}")
            add(paths[name.replace("-", "_")])
        return [self.modules / path for path in found]

    def aliases(self, files: Sequence[Path]) -> str:
        """Return the names by which the kernel itself asks for some modules, a line each."""
        self.dependencies()
        names = {_module_name(str(it)) for it in files}
        lines = (self.modules / "modules.alias").read_text().splitlines(keepends=True)
        return "".join(line for line in lines if line.rpartition(" ")[2].strip() in names)

    def dependencies(self) -> str:
        """Return the list of modules with those that each needs."""
        listed = self.modules / "modules.dep"
        if not listed.exists():
            base = self.modules.parents[2]
            subprocess.run([_program("depmod"), "-b", base, self.modules.name], check=True)
        return listed.read_text()


@dataclass
class Setup:
    """What a machine has beside its kernel and busybox."""

    programs: Sequence[str | Path] = ()
    """Programs by their names, or files of programs."""
    modules: Sequence[str] = ()
    """Modules that the script may load with `modprobe`; what they need is there as well."""
    files: dict[str, Path | bytes] = field(default_factory=dict)
    """Other files, by their paths there."""
    memory_mb: int = 512
    counts_instructions: bool = True
    """True if time is that of the machine, so that figures do not depend on the host."""
    system: Callable[[Files], Files] | None = None
    """What makes another system of a machine's files; none leaves a shell that runs the script."""


@dataclass(frozen=True)
class Output:
    """What a script has said."""

    lines: list[str]
    status: int | None
    """Its exit status; none if the machine has not lived that long."""
    console: str
    """All that the machine has written."""

    def values(self, name: str) -> list[float]:
        """Return all numbers of the lines `NAME=NUMBER`."""
        return [float(line.partition("=")[2]) for line in self.lines if line.startswith(f"{name}=")]

    def value(self, name: str) -> float:
        """Return the last number of these."""
        found = self.values(name)
        if not found:
            raise AssertionError(f"the script has not said {name}=…:\n{self.console}")
        return found[-1]


def missing() -> list[str]:
    """Return what is not here of what the tests need, a line each."""
    found = lacking(NEEDED)
    if _installed_kernel() is None and not _packages():
        found.append(f"a kernel: Debian's package {META_PACKAGE}, or `{sys.argv[0]} --fetch`")
    return found


def lacking(programs: Mapping[str, str]) -> list[str]:
    """Return those of some programs that are not here, with Debian's packages of them, a line each."""
    return [
        f"{name}: Debian's package {package}"
        for name, package in programs.items()
        if _which(name) is None
    ]


def fetch() -> None:
    """Put Debian's kernel package into `target/kernel`, unless a kernel is there or installed."""
    if _installed_kernel() is not None or _packages():
        return
    told = subprocess.run(
        ["apt-cache", "depends", META_PACKAGE], check=True, capture_output=True, text=True
    ).stdout
    packages = re.findall(r"Depends: (linux-image-\S+)", told)
    if not packages:
        raise MissingError(f"apt knows no package {META_PACKAGE}")
    STORE.mkdir(parents=True, exist_ok=True)
    subprocess.run(["apt-get", "--quiet", "download", packages[0]], check=True, cwd=STORE)


def kernel() -> Kernel:
    """Return the kernel, unpacked if need be."""
    installed = _installed_kernel()
    if installed is not None:
        return installed
    packages = _packages()
    if not packages:
        raise MissingError("no kernel is here")
    unpacked = STORE / packages[-1].stem
    if not unpacked.exists():
        half = unpacked.with_suffix(f".{os.getpid()}")
        subprocess.run(["dpkg-deb", "-x", packages[-1], half], check=True)
        try:
            half.rename(unpacked)
        except OSError:  # Another process was faster.
            shutil.rmtree(half)
    image = next((unpacked / "boot").glob("vmlinuz-*"))
    return Kernel(image, unpacked / "lib" / "modules" / image.name.removeprefix("vmlinuz-"))


def build(package: str, *, features: Sequence[str] = ()) -> Path:
    """Build the programs and examples of a crate with some features; return the folder of programs."""
    command = [
        "cargo",
        "build",
        "--quiet",
        "--locked",
        "--package",
        package,
        "--bins",
        "--examples",
        *(f"--features={it}" for it in features),
    ]
    subprocess.run(command, check=True, cwd=ROOT)
    return ROOT / "target" / "debug"


def run(script: str, setup: Setup, *, seconds: float = 600) -> Output:
    """Boot a machine, run the script in it, and return what that has said."""
    linux = kernel()
    STORE.mkdir(parents=True, exist_ok=True)
    # The machine would unpack both itself, at a tenth of the speed.
    image = _unpacked(linux.image)
    disk = STORE / f"{os.getpid()}-{threading.get_ident()}.cpio"
    disk.write_bytes(archive(contents(script, setup, linux)))
    command = [
        *[QEMU, "-accel", "tcg", "-cpu", "max", "-m", f"{setup.memory_mb}", "-no-reboot"],
        *["-nodefaults", "-display", "none", "-serial", "stdio", "-nic", "none"],
        *(["-icount", "shift=0,sleep=off"] if setup.counts_instructions else []),
        *["-kernel", str(image), "-initrd", str(disk)],
        *["-append", "console=ttyS0 quiet loglevel=4 panic=-1 random.trust_cpu=on mitigations=off"],
    ]
    try:
        console = _watch(command, seconds)
    finally:
        disk.unlink()
    return read(console)


def read(console: str) -> Output:
    """Return what a script has said by what its machine has written."""
    lines = [line.rstrip("\r") for line in console.split("\n")]
    status = None
    for at, line in enumerate(lines):
        if END in line:
            before, _, told = line.partition(END)
            lines, status = [*lines[:at], *([before] if before else [])], int(told)
            break
    return Output(lines, status, "\n".join(lines))


def contents(script: str, setup: Setup, linux: Kernel) -> Files:
    """Return the files of a machine."""
    busybox = _program("busybox")
    files: Files = {"bin/busybox": busybox}
    applets = subprocess.run([busybox, "--list"], check=True, capture_output=True, text=True)
    files |= {f"bin/{name}": "busybox" for name in applets.stdout.split() if name != "busybox"}
    # Busybox's own shell takes its own programs for those of the same name.
    shell = _program("dash")
    files |= {"bin/sh": shell} | {str(it).lstrip("/"): it for it in libraries(shell)}
    for program in setup.programs:
        path = program if isinstance(program, Path) else _program(program)
        files[f"bin/{path.name}"] = path
        files |= {str(it).lstrip("/"): it for it in libraries(path)}
    version = linux.modules.name
    needed = linux.needed(setup.modules)
    files |= {f"lib/modules/{version}/{path.relative_to(linux.modules)}": path for path in needed}
    files[f"lib/modules/{version}/modules.dep"] = linux.dependencies().encode()
    files[f"lib/modules/{version}/modules.alias"] = linux.aliases(needed).encode()
    files |= {path.lstrip("/"): content for path, content in setup.files.items()}
    files["init"] = _INIT.format(end=END).encode()
    files["test/prelude.sh"] = HERE / "prelude.sh"
    files["test/script"] = f". /test/prelude.sh\n{script}".encode()
    return setup.system(files) if setup.system else files


def libraries(program: Path) -> Iterator[Path]:
    """Return the libraries of a program, its loader included; none if it is static."""
    told = subprocess.run(["ldd", program], check=False, capture_output=True, text=True).stdout
    for line in told.splitlines():
        found = re.search(r"(/\S+) \(0x", line)
        if found is not None:
            yield Path(found[1])


def archive(files: Files) -> bytes:
    """Return a cpio archive (newc) of these files and their folders, all of root's.

    A file of the host has its mode; octets may be run if they are a script.
    """
    folders = {str(parent) for path in files for parent in Path(path).parents if str(parent) != "."}
    folders |= {"proc", "sys", "dev", "tmp", "run", "etc", "var/run", "var", "root"}
    entries: list[tuple[str, int, bytes]] = [
        (it, stat.S_IFDIR | 0o755, b"") for it in sorted(folders)
    ]
    for path, content in files.items():
        if isinstance(content, str):
            entries.append((path, stat.S_IFLNK | 0o777, content.encode()))
        else:
            octets = content if isinstance(content, bytes) else content.read_bytes()
            entries.append((path, stat.S_IFREG | _mode(content), octets))
    entries.append(("TRAILER!!!", 0, b""))
    parts: list[bytes] = []
    for number, (path, mode, octets) in enumerate(entries, 1):
        name = path.encode() + b"\0"
        fields = [number, mode, 0, 0, 1, 0, len(octets), 0, 0, 0, 0, len(name), 0]
        head = b"070701" + b"".join(b"%08X" % it for it in fields) + name
        parts += [head, bytes(-len(head) % 4), octets, bytes(-len(octets) % 4)]
    return b"".join(parts)


def _mode(content: Path | bytes) -> int:
    if isinstance(content, Path):
        return stat.S_IMODE(content.stat().st_mode)
    return 0o755 if content.startswith(b"#!") else 0o644


def _watch(command: Sequence[str], seconds: float) -> str:
    """Run QEMU until it ends or time is up: what it has written."""
    try:
        octets = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
            timeout=seconds,
        ).stdout
    except subprocess.TimeoutExpired as late:
        octets = (late.stdout or b"") + f"\nended after {seconds} s".encode()
    return octets.decode(errors="replace")


def _unpacked(image: Path) -> Path:
    """Return the kernel without what unpacks it, or as it is where it is not packed by xz."""
    unpacked = STORE / image.name.replace("vmlinuz", "vmlinux")
    if not unpacked.exists():
        octets = image.read_bytes()
        start = octets.find(b"\xfd7zXZ\0")
        if start < 0:
            return image
        half = unpacked.with_suffix(f".{os.getpid()}")
        half.write_bytes(lzma.LZMADecompressor().decompress(octets[start:]))
        half.replace(unpacked)
    return unpacked


def _module_name(path: str) -> str:
    return Path(path).name.partition(".ko")[0].replace("-", "_")


def _which(name: str) -> str | None:
    return shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")


def _program(name: str) -> Path:
    found = _which(name)
    if found is None:
        raise MissingError(f"no program {name} is here")
    return Path(found)


def _packages() -> list[Path]:
    return sorted(STORE.glob("linux-image-*.deb"))


def _installed_kernel() -> Kernel | None:
    for image in sorted(Path("/boot").glob("vmlinuz-*-amd64"), reverse=True):
        modules = Path("/lib/modules") / image.name.removeprefix("vmlinuz-")
        if (modules / "kernel").is_dir() and os.access(image, os.R_OK):
            return Kernel(image, modules)
    return None


if __name__ == "__main__":
    if "--fetch" in sys.argv[1:]:
        fetch()
    needed = missing()
    for sentence in needed:
        print(f"missing: {sentence}", file=sys.stderr)
    sys.exit(1 if needed else 0)
