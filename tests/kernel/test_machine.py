import subprocess
from pathlib import Path

import debian
import machine
import pytest
from machine import Kernel, MissingError, Setup


def _kernel(folder: Path) -> Kernel:
    modules = folder / "lib" / "modules" / "6.1"
    modules.mkdir(parents=True)
    (modules / "modules.dep").write_text(
        "kernel/wifi-sim.ko: kernel/mac.ko kernel/lib.ko\nkernel/mac.ko: kernel/lib.ko\nkernel/lib.ko:\n"
    )
    return Kernel(folder / "vmlinuz-6.1", modules)


def test_a_module_follows_its_dependencies_and_each_occurs_once(tmp_path: Path) -> None:
    found = _kernel(tmp_path).needed(["wifi_sim", "mac"])
    assert [path.name for path in found] == ["lib.ko", "mac.ko", "wifi-sim.ko"]


def test_a_module_that_the_kernel_does_not_have_is_named(tmp_path: Path) -> None:
    with pytest.raises(MissingError, match=r"the kernel 6\.1 has no module radio"):
        _kernel(tmp_path).needed(["radio"])


def test_aliases_are_those_of_the_given_modules(tmp_path: Path) -> None:
    kernel = _kernel(tmp_path)
    names = "alias net-pf-16 mac\nalias sch_clsact lib\nalias wifi wifi_sim\n"
    (kernel.modules / "modules.alias").write_text("# a comment\n" + names)
    wanted = kernel.aliases(kernel.needed(["mac"]))
    assert wanted == "alias net-pf-16 mac\nalias sch_clsact lib\n"


def test_an_archive_has_files_links_and_folders() -> None:
    packed = machine.archive({"bin/sh": "busybox", "bin/busybox": b"octets", "a/b/c": b""})
    listed = subprocess.run(
        ["/usr/bin/busybox", "cpio", "-t"], input=packed, capture_output=True, check=True
    ).stdout.decode()
    names = listed.split()
    assert {"bin", "a", "a/b", "bin/sh", "bin/busybox", "a/b/c", "proc"} <= set(names)
    assert names.index("a") < names.index("a/b") < names.index("a/b/c")


def test_files_of_the_host_have_their_modes_and_scripts_may_be_run(tmp_path: Path) -> None:
    (tmp_path / "settings").touch(0o640)
    of_host = tmp_path / "settings"
    packed = machine.archive({"settings": of_host, "script": b"#!/bin/sh\n", "words": b"words"})
    # The mode is in octets 14 to 21 of the 110 of a header [cpio(5)]; 0o100000 is a regular file [inode(7)].
    at = [packed.index(it + b"\0") - 110 + 14 for it in (b"settings", b"script", b"words")]
    modes = [int(packed[it : it + 8], 16) for it in at]
    assert modes == [0o100640, 0o100755, 0o100644]


def test_folders_of_a_debian_are_links_into_usr() -> None:
    files = debian.merged({"bin/sh": "dash", "lib/x/y": b"", "etc/lib/z": b"", "usr/bin/a": b""})
    assert set(files) == {
        *("usr/bin/sh", "usr/lib/x/y", "etc/lib/z", "usr/bin/a"),
        *("bin", "sbin", "lib", "lib64"),
    }
    assert files["bin"] == "usr/bin"


def test_the_output_of_a_script_is_read_up_to_its_end() -> None:
    output = machine.read("rate=1\r\nrate=2.5\r\nno end of line" + machine.END + "7\r\nmore\r\n")
    assert (output.status, output.value("rate"), output.values("rate")) == (7, 2.5, [1, 2.5])
    assert output.lines == ["rate=1", "rate=2.5", "no end of line"]
    assert machine.read("Kernel panic").status is None
    with pytest.raises(AssertionError, match="the script has not said other="):
        output.value("other")


def test_a_machine_runs_a_script_with_programs_modules_and_files() -> None:
    script = """
        modprobe mac80211_hwsim radios=3
        uname -r
        cat /data/word
        iw dev | grep -c Interface
        await 1 test -e /data/word
        date +up=%s; sleep 100; date +up=%s
        false
        echo not reached
    """
    setup = Setup(programs=["iw"], modules=["mac80211_hwsim"], files={"/data/word": b"hello\n"})
    output = machine.run(script, setup)
    version, word, interfaces, *_ = [line for line in output.lines if not line.startswith("[")]
    assert (word, interfaces) == ("hello", "3")
    assert version == machine.kernel().modules.name
    start, end = output.values("up")
    assert 99 <= end - start <= 102
    assert (output.status, "not reached" in output.console) == (1, False)
