"""wheel.py TREE OUT VERSION: packs a tree that holds the package as a wheel, which pip installs; prints its path."""

import base64
import hashlib
import os
import sys
import sysconfig
import zipfile
from pathlib import Path

METADATA = """\
Metadata-Version: 2.1
Name: rammer
Version: {version}
Summary: CUDA kernels in, one scheduled program for a whole model out
License: MIT
Requires-Python: >=3.9
Provides-Extra: numpy
Requires-Dist: numpy; extra == "numpy"
"""

WHEEL = """\
Wheel-Version: 1.0
Generator: rammer
Root-Is-Purelib: false
Tag: {tag}
"""

ENTRY_POINTS = """\
[torch_dynamo_backends]
rammer = rammer:_backend
"""


def add(archive, record, name, data, executable=False):
    # Without times, so that the same tree gives the same wheel.
    info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    info.external_attr = (0o755 if executable else 0o644) << 16
    info.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(info, data)
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    record.append(f"{name},sha256={digest},{len(data)}")


def main():
    tree, out, version = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
    tag = "py3-none-" + sysconfig.get_platform().replace("-", "_").replace(".", "_")
    path = out / f"rammer-{version}-{tag}.whl"
    made = path.with_suffix(".part")
    info, record = f"rammer-{version}.dist-info", []
    with zipfile.ZipFile(made, "w") as archive:
        for file in sorted(p for p in tree.rglob("*") if p.is_file()):
            add(archive, record, file.relative_to(tree).as_posix(), file.read_bytes(), ".so" in file.name)
        for name, text in (("METADATA", METADATA), ("WHEEL", WHEEL), ("entry_points.txt", ENTRY_POINTS)):
            add(archive, record, f"{info}/{name}", text.format(version=version, tag=tag).encode())
        record.append(f"{info}/RECORD,,")
        add(archive, [], f"{info}/RECORD", ("\n".join(record) + "\n").encode())
    os.replace(made, path)
    print(path)


if __name__ == "__main__":
    main()
