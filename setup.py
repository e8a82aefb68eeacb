# SPDX-License-Identifier: Apache-2.0
"""The build of the Python package: `make` makes the libraries and zlay.cdef; cffi makes of the declarations a module that needs no
compiler (ABI mode), so that one wheel is for every CPython; the libraries, and those that they need and the system does not
promise, are copied into the package, where each finds the others beside itself."""
import os
import re
import shutil
import subprocess

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py

B = os.environ.get("B", "build")
LIBRARIES = ("zlay", "zlay-json", "zlay-runtime")
#: What every Linux of glibc has: the list of manylinux, and the C++ runtime that FLINT's NTL asks for.
SYSTEM = re.compile(r"(ld-linux.*|lib(c|m|dl|rt|pthread|gcc_s|stdc\+\+))\.so\.\d+")


def version():
    with open("include/zlay/version.h", encoding="utf-8") as f:
        return ".".join(re.findall(r"^#define ZLAY_VERSION_\w+ (\d+)", f.read(), re.M))


def abi():
    return ".".join(version().split(".")[:2])


def run(*command, **more):
    return subprocess.run(command, check=True, text=True, **more)


def needed(path):
    """The libraries that a shared object was linked with, by name and place."""
    told = run("ldd", path, stdout=subprocess.PIPE, env={**os.environ, "LD_LIBRARY_PATH": os.path.abspath(B)}).stdout
    for name, place in re.findall(r"^\s*(\S+) => (/\S+)", told, re.M):
        if not SYSTEM.fullmatch(name) and not name.startswith("libzlay"):
            yield name, place


class Build(build_py):
    def run(self):
        super().run()
        jobs = os.environ.get("JOBS") or str(os.cpu_count() or 1)
        made = [f"{B}/lib{name}.so" for name in LIBRARIES]
        run("make", f"-j{jobs}", f"B={B}", *made, f"{B}/zlay.cdef")
        package = os.path.join(self.build_lib, "zlay")
        self.declare(package)
        self.bundle(os.path.join(package, "lib"), made)

    def declare(self, package):
        import cffi

        ffi = cffi.FFI()
        with open(os.path.join(B, "zlay.cdef"), encoding="utf-8") as f:
            ffi.cdef(f.read())
        ffi.set_source("zlay._zlay_ffi", None)
        ffi.emit_python_code(os.path.join(package, "_zlay_ffi.py"))

    def bundle(self, folder, made):
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        places = {f"{os.path.basename(path)}.{abi()}": path for path in made}
        for path in made:
            places.update(needed(path))
        for name, place in places.items():
            copy = os.path.join(folder, name)
            shutil.copyfile(place, copy)  # of the file, where the place is a link
            run("strip", "--strip-unneeded", copy)
            run("patchelf", "--force-rpath", "--set-rpath", "$ORIGIN", copy)


class Wheel(bdist_wheel):
    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


class WithLibraries(Distribution):
    def has_ext_modules(self):
        return True


OWN = "build/python"  # what setuptools writes lies there, not among the sources
os.makedirs(OWN, exist_ok=True)
setup(version=version(), cmdclass={"build_py": Build, "bdist_wheel": Wheel}, distclass=WithLibraries,
      options={"build": {"build_base": OWN}, "egg_info": {"egg_base": OWN}})
