"""How rules are compiled: as parts of the programs that call them, by numba's private interface.

numba makes native code of every function by itself, with all that it calls inside, and then again as part of each of its
callers. Rules are many small functions called by a few loops, so that costs more than everything else. A `DeviceFunction` stays
intermediate code; only what Python calls becomes a program, with all its rules linked in once. The first call of a rule from
Python (a test, say) makes a program of it too.

Importing this fails where numba has moved its interface; `jit.py` then does without.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import pickle
import re
import threading
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import llvmlite
import numba
from llvmlite import binding as llvm
from numba.core import serialize
from numba.core.caching import FunctionCache
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.errors import NumbaError
from numba.core.registry import CPUDispatcher
from numba.core.typed_passes import NativeLowering

from . import beside
from .beside import switch
from .compiling import compiling
from .failures import CompileError, explained, failed
from .interpret import interpret

logger = logging.getLogger("wilddeck")


class SealedFiles:
    """What numba keeps of a function's programs, a file each (in numba's own way an index says which file is whose).

    A file begins with a digest of what it was made from and for (`stamp`, `constants` and key) and of its content, and nothing
    is read from one with another digest: numba would run altered code, or that of another signature. The digest guards against
    accidents only. The content is a pickle and machine code, so a cache folder must be nobody's but the user's.

    Programs that differ in constants are kept side by side; of one whose code has changed the last few, so that older code
    finds its program when somebody goes back to it.
    """

    def __init__(self, folder: str, name: str, stamp: Any, constants: Any = ()) -> None:
        self._folder, self._name, self._constants = Path(folder), re.sub(r"[^\w.-]", "_", name), repr(constants)
        self._made_from = repr((numba.__version__, llvmlite.__version__, stamp))

    def load(self, key: Any) -> Any:
        """What was kept under a key, None if nothing was, or it is stale or damaged."""
        try:
            kept = self._path(key).read_bytes()
        except FileNotFoundError:
            return None
        digest, content = kept[:_DIGEST_SIZE], kept[_DIGEST_SIZE:]
        if digest != self._digest(key, content):
            return None
        with contextlib.suppress(OSError):  # a folder that can only be read
            os.utime(self._path(key))
        return pickle.loads(content)

    def holds(self, key: Any) -> bool:
        """Whether `load` finds something under a key."""
        try:
            kept = self._path(key).read_bytes()
        except OSError:
            return False
        return kept[:_DIGEST_SIZE] == self._digest(key, kept[_DIGEST_SIZE:])

    def save(self, key: Any, data: Any) -> None:
        path, content = self._path(key), serialize.dumps(data)
        waiting = path.with_name(f"{path.name}.tmp.{uuid.uuid4().hex[:16]}")
        try:
            waiting.write_bytes(self._digest(key, content) + content)
            waiting.replace(path)
        finally:
            waiting.unlink(missing_ok=True)
        self._sweep(key)

    def flush(self) -> None:
        """numba's word for forgetting everything: old files are swept one by one."""

    def _sweep(self, key: Any) -> None:
        """Remove all but the last programs that were made or used of one function and its constants."""
        with contextlib.suppress(OSError):  # another process sweeps, too
            paths = sorted(self._folder.glob(f"{self._stem(key)}.*.nbc"), key=lambda path: path.stat().st_mtime_ns)
            for path in paths[:-_VERSIONS]:
                path.unlink(missing_ok=True)

    def _stem(self, key: Any) -> str:
        return f"{self._name}.{_short_digest((self._constants, key))}"

    def _path(self, key: Any) -> Path:
        return self._folder / f"{self._stem(key)}.{_short_digest(self._made_from)}.nbc"

    def _digest(self, key: Any, content: bytes) -> bytes:
        head = repr((self._made_from, self._constants, key)).encode()
        return hashlib.blake2b(head + b"\0" + content, digest_size=_DIGEST_SIZE).digest()


_DIGEST_SIZE = 32
_VERSIONS = 3  # of a program whose code changes


def _short_digest(value: Any) -> str:
    return hashlib.blake2b(repr(value).encode(), digest_size=8).hexdigest()


class StampedCache(FunctionCache):
    """numba's function cache, stamped with the code that a program reaches; one that cannot be read or written is no error."""

    def __init__(
        self,
        function: Callable[..., Any],
        stamp: Any,
        constants: Any,
        compiling: Callable[[], None],
        unwritable: Callable[[str, Exception], None],
    ) -> None:
        super().__init__(function)
        self._compiling, self._unwritable = compiling, unwritable
        self._cache_file: Any = SealedFiles(self._cache_path, function.__qualname__, stamp, constants)

    def _index_key(self, sig: Any, codegen: Any) -> Any:
        """What a program is for. What it is made from stands in stamp and constants; numba would pickle the latter."""
        return sig, codegen.magic_tuple()

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            program = super().load_overload(sig, target_context)
        except Exception as error:
            logger.debug("unreadable kernel cache of %s: %r", self._name, error)
            program = None
        if program is None:
            self._compiling()
        return program

    def holds(self, sig: Any, target_context: Any) -> bool:
        """Whether a program need not be compiled."""
        return self._cache_file.holds(self._index_key(sig, target_context.codegen()))

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except Exception as error:
            self._unwritable(self._cache_path, error)


class _DeviceLibrary(JITCodeLibrary):
    """Intermediate code of a rule and the names of what it calls; never optimised, never made native by itself."""

    def finalize(self) -> None:
        self._raise_if_finalized()
        self._finalize_dynamic_globals()
        self._finalized = True


class _ProgramLibrary(JITCodeLibrary):
    """Native code of a program, with the rules that it calls, directly or through others."""

    unrolls = runs_long = False

    def finalize(self) -> None:
        self._linking_libraries = _callers_first(self._linking_libraries)
        super().finalize()

    def _optimize_final_module(self) -> None:
        """As numba does it, but loops stay as they are written, unless unrolling is asked for: rules are full of loops that run
        few times, and what a longer loop saves is less than what one more branch to guess costs.

        The rules get names of their own. Theirs tell apart what one process compiles, and no more: of two games whose programs
        were compiled in two processes and use the same rule, one would otherwise run the other's. In a program that runs long
        they become its own, too, so that more of them are put into their callers: compiling takes a quarter longer, and
        playing about a tenth less."""
        own = uuid.uuid4().hex[:16]
        for function in self._final_module.functions:
            if function.linkage == llvm.Linkage.linkonce_odr:
                function.name = f"{function.name}.{own}"
                if self.runs_long:
                    function.linkage = llvm.Linkage.internal
        if not hasattr(llvm, "create_pipeline_tuning_options"):  # an older numba
            super()._optimize_final_module()
            return
        codegen, module = self._codegen, self._final_module
        manager, builder = codegen._module_pass_manager(
            loop_vectorize=codegen._loopvect, slp_vectorize=False, opt=codegen._opt_level, cost="cheap"
        )
        manager.run(module, builder)
        tuning = llvm.create_pipeline_tuning_options(speed_level=3)
        tuning.loop_vectorization = True
        tuning.loop_unrolling, tuning.loop_interleaving = self.unrolls, self.unrolls
        builder = llvm.create_pass_builder(codegen._tm, tuning)
        manager = builder.getModulePassManager()
        manager.add_refprune_pass()
        manager.run(module, builder)


def _callers_first(libraries: list[Any]) -> list[Any]:
    """Libraries and those of the rules that they call, each behind its callers: in linking, LLVM leaves out a function that
    nothing linked so far calls."""
    waiting, entered, left = [(library, False) for library in libraries], set(), []
    while waiting:
        library, done = waiting.pop()
        if done:
            left.append(library)
        elif id(library) not in entered:
            entered.add(id(library))
            waiting.append((library, True))
            if isinstance(library, _DeviceLibrary):
                waiting.extend((callee, False) for callee in library._linking_libraries)
    return left[::-1]


class _UnrollingLibrary(_ProgramLibrary):
    unrolls = True


class _LongLibrary(_ProgramLibrary):
    runs_long = True


class _Lowering(NativeLowering):
    library: type[JITCodeLibrary]

    def run_pass(self, state: Any) -> bool:
        if state.library is None:
            codegen = state.targetctx.codegen()
            state.library = self.library(codegen, state.func_id.func_qualname)
            if issubclass(self.library, _ProgramLibrary):
                state.library.enable_object_caching()
        return super().run_pass(state)


@register_pass(mutates_CFG=True, analysis_only=False)
class _RuleLowering(_Lowering):
    _name: Any = "rule_lowering"
    library = _DeviceLibrary

    def run_pass(self, state: Any) -> bool:
        context = state.targetctx
        # Lowering ends by asking for native code. A rule has none; any object serves as the key by which callers find it.
        context.get_executable = lambda library, fndesc, env: object()
        try:
            return super().run_pass(state)
        finally:
            del context.get_executable


@register_pass(mutates_CFG=True, analysis_only=False)
class _ProgramLowering(_Lowering):
    _name: Any = "program_lowering"
    library = _ProgramLibrary


@register_pass(mutates_CFG=True, analysis_only=False)
class _UnrollingLowering(_Lowering):
    _name: Any = "unrolling_lowering"
    library = _UnrollingLibrary


@register_pass(mutates_CFG=True, analysis_only=False)
class _LongLowering(_Lowering):
    _name: Any = "long_lowering"
    library = _LongLibrary


class _Passes(PassManager):
    """numba's, which also tell of each pass in words what it runs on, though nobody listens: a twentieth of the time."""

    def _runPass(self, index: int, stage: Any, state: Any) -> None:  # noqa: N802
        stage.analysis = self._analysis
        stage.run_initialization(state)
        stage.run_pass(state)
        stage.run_finalizer(state)


def _compiler(lowering: type[_Lowering]) -> type[CompilerBase]:
    class Compiler(CompilerBase):
        def define_pipelines(self) -> list[PassManager]:
            self.state.flags.noalias = bool(self.state.flags.fastmath)  # see `DeviceFunction`
            manager = _Passes("wilddeck")
            build = DefaultPassBuilder
            for define in (
                build.define_untyped_pipeline,
                build.define_typed_pipeline,
                build.define_nopython_lowering_pipeline,
            ):
                manager.passes.extend(define(self.state).passes)
            manager.passes = [(lowering if stage is NativeLowering else stage, name) for stage, name in manager.passes]
            manager.finalize()
            return [manager]

    return Compiler


class _Program(CPUDispatcher):
    """Of a function that Python calls."""

    _cache: Any

    def compile(self, signature: Any) -> Any:
        with compiling:
            return super().compile(signature)


_making = threading.RLock()
_RULE, _PROGRAM, _UNROLLING, _LONG = map(_compiler, (_RuleLowering, _ProgramLowering, _UnrollingLowering, _LongLowering))


class DeviceFunction(CPUDispatcher):
    """A function for other compiled functions to call; called from Python, it becomes a program as well.

    Args:
        counting: whether it counts references to arrays. Stated both ways, or a callee would take it over from its caller.
        unroll: whether the compiler may unroll the loops of the program, those of its rules among them.
        inline: whether its code stands in each of its callers.
        fast: whether sums of floating numbers may be added up in another order, and multiplied and added in one step, and no
            two arrays that it is given overlap, so that loops need not find out.
        light: whether a call does so little that it may as well be interpreted while its program is compiled (`beside`).
    """

    def __init__(
        self,
        function: Callable[..., Any],
        cache: Callable[[Callable[..., Any]], StampedCache],
        counting: bool = True,
        unroll: bool = False,
        inline: bool = False,
        fast: bool = False,
        light: bool = False,
    ) -> None:
        self._options: dict[str, Any] = {"nogil": True, "_nrt": counting, "no_cfunc_wrapper": True}
        self._options["fastmath"] = {"reassoc", "contract", "nsz"} if fast else False
        options = {"nopython": True, "no_cpython_wrapper": True, "forceinline": inline, **self._options}
        super().__init__(function, targetoptions=options, pipeline_class=_RULE)
        self._make_cache, self.unroll, self.light = cache, unroll, light
        self._program: Any = None
        self._request: beside.Request | None = None
        self._told = ""  # why it cannot be compiled
        self._is_there = False  # the program, when it has been asked for
        self.source: Any = self.py_func.__qualname__

    @property
    def program(self) -> Any:
        """The dispatcher that serves calls from Python; it keeps its code on disk."""
        with _making:  # threads that call it for the first time all get the same one, its cache in place
            if self._program is None:
                compiler = _UNROLLING if self.unroll else _PROGRAM if self.light else _LONG
                program = _Program(self.py_func, targetoptions={"nopython": True, **self._options}, pipeline_class=compiler)
                program._cache = self._make_cache(self)
                self._program = program
            return self._program

    @property
    def stats(self) -> Any:
        return self.program.stats

    def __reduce__(self) -> Any:
        """By its name in its module, as a function, or how `bind` makes it; numba would send its code."""
        return self.source

    def add_overload(self, result: Any) -> None:
        self.overloads[tuple(result.signature.args)] = result

    def __call__(self, *arguments: Any) -> Any:
        if switch.mode and self._is_interpreted(arguments):
            return interpret(self, arguments)
        try:
            return (self._program or self.program)(*arguments)
        except Exception as error:
            told, failed.told = failed.told, ""
            if not told and isinstance(error, NumbaError):
                told = self._told  # numba remembers what failed, and does not try again
            if told:
                self._told = told
                raise CompileError(told) from None
            raise

    def compile(self, signature: Any) -> Any:
        """numba's, for who calls this one in compiled code: of what cannot be compiled it keeps where and why, for numba says
        of each caller, too, that it cannot be, and of some errors not where."""
        try:
            return super().compile(signature)
        except Exception as error:
            failed.told = failed.told or explained(self.py_func, signature, error)
            raise

    def _is_interpreted(self, arguments: Any) -> bool:
        """Whether this call is, as its program is not there yet, or must not be used. What is not light waits for it."""
        if switch.mode == beside.ONLY or beside.here.interpreted:
            return True
        if self._is_there or (self._request and self.light and not self._request.finished.is_set()):
            return not self._is_there
        types = tuple(map(self.typeof_pyval, arguments))
        with _making:
            if self._request is None and not self._is_kept(types):
                self._request = beside.compile_beside(self, types)
        if self._request and not self.light:
            self._request.finished.wait()
        self._is_there = not self.light or self._is_kept(types)
        return not self._is_there

    def _is_kept(self, types: tuple[Any, ...]) -> bool:
        """Whether there is a program for arguments of these types, in this process or on disk."""
        program = self.program
        return types in program.overloads or program._cache.holds(types, program.targetctx)
