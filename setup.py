"""Build the accelerator where there is a C compiler; without one the NumPy kernel does its work."""

import sysconfig

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

# The limited API makes one wheel for every CPython from 3.11 on; free-threaded builds lack it.
LIMITED = not sysconfig.get_config_var("Py_GIL_DISABLED")


class BuildExact(build_ext):
    """Keep the arithmetic of the kernel as it is written: a fused multiply-add rounds once less."""

    def build_extensions(self) -> None:
        """Add the flags of the compilers that fuse; MSVC's default does not."""
        if self.compiler.compiler_type != "msvc":
            for extension in self.extensions:
                extension.extra_compile_args += ["-O3", "-ffp-contract=off"]
        super().build_extensions()


setup(
    cmdclass={"build_ext": BuildExact},
    ext_modules=[
        Extension(
            "fairmend.kernel._accelerator",
            ["src/fairmend/kernel/_accelerator.c"],
            depends=["src/fairmend/kernel/_algorithm2.h"],
            optional=True,
            py_limited_api=LIMITED,
        )
    ],
    options={"bdist_wheel": {"py_limited_api": "cp311"}} if LIMITED else {},
)
