# SPDX-License-Identifier: Apache-2.0
"""tests/support/fake-cuda.c as this process's libcuda.so.1: a driver without a device, whose memory is the host's. Arrays of its device are
NumPy's, which say of themselves what CuPy's do."""
import atexit
import ctypes
import functools
import os
import re
import shutil
import struct
import subprocess
import tempfile

import cffi
import numpy


class OnDevice:
    """An array that has __cuda_array_interface__ alone, aligned as a device's memory is."""

    def __init__(self, shape, dtype, data=None):
        count = int(numpy.prod(shape))
        memory = numpy.frombuffer(bytearray(count * numpy.dtype(dtype).itemsize + 256), numpy.uint8)
        start = -memory.ctypes.data % 256
        x = memory[start:start + count * numpy.dtype(dtype).itemsize].view(dtype).reshape(shape)
        if data is not None:
            x[...] = data
        self.of(x)

    def of(self, x):
        self.x, self.__cuda_array_interface__, self.shape, self.address = x, x.__array_interface__, x.shape, x.ctypes.data
        return self

    def view(self, change):
        """Another array of the same memory."""
        return OnDevice.__new__(OnDevice).of(change(self.x))

    @property
    def T(self):
        return self.view(lambda x: x.swapaxes(-1, -2))


@functools.lru_cache(maxsize=None)
def driver():
    """The fake's types, and its state; one a process."""
    support = os.path.join(os.environ.get("ZLAY_ROOT", "."), "tests/support")
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder)
    path = os.path.join(folder, "libcuda.so.1")
    subprocess.run([*os.environ.get("CC", "cc").split(), "-std=c11", "-shared", "-fPIC", "-Wl,-soname,libcuda.so.1", "-o", path,
                    os.path.join(support, "fake-cuda.c")], check=True)
    with open(os.path.join(support, "fake-cuda.h"), encoding="utf-8") as f:
        text = f.read()
    sizes = ", ".join(re.findall(r"FAKE_[A-Z]+ = \d+", text))
    ffi = cffi.FFI()
    ffi.cdef(f"enum {{ {sizes} }};" + "".join(re.findall(r"typedef struct \w+ \{.*?\} \w+;", text, re.S)) + "fake_state *fake_control(void);")
    library = ffi.dlopen(path, ffi.RTLD_GLOBAL | ffi.RTLD_NOW | ffi.RTLD_NODELETE)
    fake = library.fake_control()
    fake.cc_major, fake.maps = 9, 1
    return ffi, fake


def expect(sizes):
    """Bytes of the arguments that the next kernels have; none: three maps and three addresses."""
    _, fake = driver()
    for i in range(len(fake.bytes)):
        fake.bytes[i] = sizes[i] if i < len(sizes) else 0


def word(i, kind="Q"):
    """An argument of the last launch."""
    ffi, fake = driver()
    return struct.unpack_from(kind, ffi.buffer(fake.launch.each[i]))[0]


def words_at(address, count):
    """Integers of 32 bits in the device's memory."""
    return list((ctypes.c_int32 * count).from_address(address))
