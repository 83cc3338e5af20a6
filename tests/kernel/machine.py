"""Boots Debian's Linux kernel in QEMU, runs a script in the machine, and returns what the script prints.

QEMU emulates the processor (TCG), so that neither KVM nor root is needed. With `icount` each instruction
takes one nanosecond of the machine's time, and an idle machine skips to its next event. The machine's clock
does not depend on the load of the host, and measurements are reproducible.

The machine boots from an initial RAM disk with busybox, a shell, `prelude.sh`, and the programs, kernel
modules and files that a test names, with their libraries and dependencies. It has no disk and no network.
The kernel is that of Debian's package, which is installed or is in `target/kernel`, where `fetch` puts it.
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
"""Programs that the tests need, with the Debian packages that contain them."""
END = "airfair: the script has ended with "
"""Text of the last line, before the exit status of the script."""

_INIT = """\
#!/bin/sh
mount -t proc proc /proc; mount -t sysfs sysfs /sys; mount -t devtmpfs dev /dev; mount -t tmpfs tmp /tmp
mkdir -p /dev/pts /run /var/run /sys/fs/bpf; mount -t tmpfs run /run; mount -t bpf bpf /sys/fs/bpf 2>/dev/null
hostname machine; ip link set lo up
cd /test; sh -e ./script </dev/null 2>&1
echo "{end}$?"
poweroff -f
"""


Watch = Callable[[str], None]
"""Function that gets each line of a machine's console as it comes."""

Files = dict[str, Path | bytes | str]
"""Files of a machine by their paths: a file of the host, the content, or the target of a link."""


class MissingError(Exception):
    """Error of a program, a kernel or a module that is missing on this host."""


@dataclass(frozen=True)
class Kernel:
    """Kernel with the file of its image and the folder of its modules."""

    image: Path
    modules: Path

    def has(self, names: Sequence[str]) -> bool:
        """Return true if the kernel has all modules of these names."""
        try:
            self.needed(names)
        except MissingError:
            return False
        return True

    def needed(self, names: Sequence[str]) -> list[Path]:
        """Return the files of modules and of their dependencies, each file after those that it needs."""
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
        """Return the lines of `modules.alias` for the modules in some files."""
        self.dependencies()
        names = {_module_name(str(it)) for it in files}
        lines = (self.modules / "modules.alias").read_text().splitlines(keepends=True)
        return "".join(line for line in lines if line.rpartition(" ")[2].strip() in names)

    def dependencies(self) -> str:
        """Return `modules.dep`, which lists the dependencies of each module; creates it if needed."""
        listed = self.modules / "modules.dep"
        if not listed.exists():
            base = self.modules.parents[2]
            subprocess.run([_program("depmod"), "-b", base, self.modules.name], check=True)
        return listed.read_text()


@dataclass
class Setup:
    """Content and settings of a machine, without its kernel and busybox."""

    programs: Sequence[str | Path] = ()
    """Names or files of programs."""
    modules: Sequence[str] = ()
    """Modules that the script can load with `modprobe`; their dependencies are included."""
    files: dict[str, Path | bytes] = field(default_factory=dict)
    """Other files, by their paths in the machine."""
    memory_mb: int = 512
    counts_instructions: bool = True
    """True if the clock counts instructions (`icount`), so that results do not depend on the host."""
    system: Callable[[Files], Files] | None = None
    """Function that adds an operating system to the files; without one, a shell runs the script."""


@dataclass(frozen=True)
class Output:
    """Output of a script."""

    lines: list[str]
    status: int | None
    """Exit status of the script; None if the machine ended before the script."""
    console: str
    """Everything that the machine wrote to its console, up to the end of the script."""

    def values(self, name: str) -> list[float]:
        """Return the numbers of all lines `NAME=NUMBER` with a name."""
        return [float(line.partition("=")[2]) for line in self.lines if line.startswith(f"{name}=")]

    def value(self, name: str) -> float:
        """Return the number of the last line `NAME=NUMBER` with a name."""
        found = self.values(name)
        if not found:
            raise AssertionError(f"the script has not said {name}=…:\n{self.console}")
        return found[-1]


def missing() -> list[str]:
    """Return a line for each program or kernel that is missing for the tests."""
    found = lacking(NEEDED)
    if _installed_kernel() is None and not _packages():
        found.append(f"a kernel: Debian's package {META_PACKAGE}, or `{sys.argv[0]} --fetch`")
    return found


def lacking(programs: Mapping[str, str]) -> list[str]:
    """Return a line for each program that is missing, with its Debian package."""
    return [
        f"{name}: Debian's package {package}"
        for name, package in programs.items()
        if _which(name) is None
    ]


def fetch() -> None:
    """Download Debian's kernel package to `target/kernel`, unless it or an installed kernel exists."""
    if _installed_kernel() is not None or _packages():
        return
    output = subprocess.run(
        ["apt-cache", "depends", META_PACKAGE], check=True, capture_output=True, text=True
    ).stdout
    packages = re.findall(r"Depends: (linux-image-\S+)", output)
    if not packages:
        raise MissingError(f"apt knows no package {META_PACKAGE}")
    STORE.mkdir(parents=True, exist_ok=True)
    subprocess.run(["apt-get", "--quiet", "download", packages[0]], check=True, cwd=STORE)


def kernel(modules: Sequence[str] = ()) -> Kernel:
    """Return the kernel, or a kernel of a folder in `target/kernel` if that alone has the modules."""
    found = _debian_kernel()
    others = (it for it in _kernels_in_folders() if it.has(modules))
    return found if found.has(modules) else next(others, found)


def _debian_kernel() -> Kernel:
    """Return the kernel that is installed, or that of the package, which is unpacked if needed."""
    installed = _installed_kernel()
    if installed is not None:
        return installed
    packages = _packages()
    if not packages:
        raise MissingError("no kernel is here")
    unpacked = STORE / packages[-1].stem
    if not unpacked.exists():
        unfinished = unpacked.with_suffix(f".{os.getpid()}")
        subprocess.run(["dpkg-deb", "-x", packages[-1], unfinished], check=True)
        try:
            unfinished.rename(unpacked)
        except OSError:  # Another process has unpacked it first.
            shutil.rmtree(unfinished)
    image = next((unpacked / "boot").glob("vmlinuz-*"))
    return Kernel(image, unpacked / "lib" / "modules" / image.name.removeprefix("vmlinuz-"))


def build(package: str, *, features: Sequence[str] = ()) -> Path:
    """Build the programs and examples of a crate with some features. Return the folder of the programs."""
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


def run(script: str, setup: Setup, *, seconds: float = 600, watch: Watch | None = None) -> Output:
    """Boot a machine, run the script in it, and return the output. The machine ends after `seconds`.

    `watch` gets each line of the console as it comes.
    """
    linux = kernel(setup.modules)
    STORE.mkdir(parents=True, exist_ok=True)
    # Neither is compressed: the machine would unpack them at a tenth of the host's speed.
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
        console = _run_qemu(command, seconds, watch)
    finally:
        disk.unlink()
    return read(console)


def read(console: str) -> Output:
    """Extract the output of the script from the console of its machine."""
    lines = [line.rstrip("\r") for line in console.split("\n")]
    status = None
    for at, line in enumerate(lines):
        if END in line:
            before, _, number = line.partition(END)
            lines, status = [*lines[:at], *([before] if before else [])], int(number)
            break
    return Output(lines, status, "\n".join(lines))


def contents(script: str, setup: Setup, linux: Kernel) -> Files:
    """Return all files of a machine."""
    busybox = _program("busybox")
    files: Files = {"bin/busybox": busybox}
    applets = subprocess.run([busybox, "--list"], check=True, capture_output=True, text=True)
    files |= {f"bin/{name}": "busybox" for name in applets.stdout.split() if name != "busybox"}
    # Busybox's shell would run busybox's own commands instead of programs of the same name.
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
    """Yield the shared libraries and the dynamic loader of a program; none for a static program."""
    output = subprocess.run(["ldd", program], check=False, capture_output=True, text=True).stdout
    for line in output.splitlines():
        found = re.search(r"(/\S+) \(0x", line)
        if found is not None:
            yield Path(found[1])


def archive(files: Files) -> bytes:
    """Return a cpio archive (newc format) of the files and their folders, which belong to root.

    Files of the host keep their modes. Given contents are executable if they are scripts.
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


def _run_qemu(command: Sequence[str], seconds: float, watch: Watch | None) -> str:
    """Run QEMU until it ends, at most for some seconds, and return its output."""
    pipe, null, both = subprocess.PIPE, subprocess.DEVNULL, subprocess.STDOUT
    lines: list[str] = []
    with subprocess.Popen(command, stdin=null, stdout=pipe, stderr=both) as qemu:
        late = threading.Event()

        def end() -> None:
            late.set()
            qemu.kill()

        timer = threading.Timer(seconds, end)
        timer.start()
        try:
            for octets in qemu.stdout or ():
                lines.append(octets.decode(errors="replace"))
                if watch is not None:
                    watch(lines[-1].rstrip())
        finally:
            timer.cancel()
            qemu.kill()
    return "".join(lines) + (f"\nended after {seconds} s" if late.is_set() else "")


def _unpacked(image: Path) -> Path:
    """Return the decompressed kernel, or the image itself if it is not compressed by xz."""
    unpacked = STORE / image.name.replace("vmlinuz", "vmlinux")
    if not unpacked.exists():
        octets = image.read_bytes()
        start = octets.find(b"\xfd7zXZ\0")
        if start < 0:
            return image
        unfinished = unpacked.with_suffix(f".{os.getpid()}")
        unfinished.write_bytes(lzma.LZMADecompressor().decompress(octets[start:]))
        unfinished.replace(unpacked)
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


def _kernels_in_folders() -> Iterator[Kernel]:
    """Yield the kernels of folders with Debian's packages, in which image and modules may be below `usr`."""
    for modules in sorted(STORE.glob("*/usr/lib/modules/*")):
        if (modules / "vmlinuz").is_file():
            yield Kernel(modules / "vmlinuz", modules)


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
