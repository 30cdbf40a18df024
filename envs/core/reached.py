"""What a program is made of: the functions that it reaches through its globals, their code, and the values they use.

Two digests stand on this walk. Compiled programs are stamped with the bytecode that they come from (`code_stamp`), so that an
edit anywhere, in a package of somebody else too, compiles exactly what it changes. Leagues and replays keep a digest of the
rules' source (`source_digest`), which is the same under every version of Python. Neither sees comments, docstrings or where a
line stands.
"""

from __future__ import annotations

import ast
import contextlib
import dis
import functools
import hashlib
import inspect
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from types import CodeType, FunctionType, ModuleType
from typing import Any, TypeVar

import numpy as np

F = TypeVar("F", bound=Callable[..., Any])

_CONSTANTS = frozenset(dis.hasconst)


def plain(function: F) -> F:
    """The Python function that a device function was made of, for ordinary Python that reads a record by its terms."""
    return getattr(function, "py_func", function)


def values_of(function: Any) -> list[tuple[str, Any]]:
    """The globals that a function uses, those of its inner functions among them, the variables of one around it, and of modules
    and classes the attributes that it may use."""
    names = {name for code in _codes(function.__code__) for name in code.co_names}
    values = {name: function.__globals__[name] for name in names if name in function.__globals__}
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    values |= {name: cell.cell_contents for name, cell in cells}
    waiting, seen = list(values.items()), set()
    while waiting:
        name, value = waiting.pop()
        if isinstance(value, (ModuleType, type)) and not _is_installed(value) and id(value) not in seen:
            seen.add(id(value))
            inside = {f"{name}.{attribute}": getattr(value, attribute) for attribute in names if hasattr(value, attribute)}
            values |= inside
            waiting.extend(inside.items())
    return sorted(values.items())


def reached(*functions: Callable[..., Any]) -> list[Any]:
    """The functions and all that they call, directly or through others, device functions as such; none of Python or numpy, and
    none that is nothing in compiled code (`events.emit`)."""
    functions_by_id: dict[int, Any] = {}
    waiting = list(functions)[::-1]
    while waiting:
        candidate = waiting.pop()
        function = plain(candidate)
        is_code = hasattr(function, "__code__") and not hasattr(function, "is_nothing_compiled")
        if id(function) not in functions_by_id and is_code and not _is_installed(function):
            functions_by_id[id(function)] = candidate
            waiting.extend(value for _, value in values_of(function)[::-1])
    return list(functions_by_id.values())


def code_stamp(function: Callable[..., Any]) -> tuple[list[str], list[str]]:
    """What the program of a function is made from: the code of all that it reaches, and the values that this uses."""
    functions = reached(function)
    return [_code(part) for part in functions], [text for part in functions for text in _constants(plain(part))]


def source_digest(functions: Iterable[Callable[..., Any]], *texts: str) -> str:
    """Digest of the source of functions, of all that they reach and of the values that these use; and of `texts`."""
    digest = hashlib.sha256(repr(texts).encode())
    for function in map(plain, reached(*functions)):
        digest.update("\0".join([_source(function), *_constants(function), ""]).encode())
    return digest.hexdigest()[:16]


_INSTALLED = sys.stdlib_module_names | {"numpy", "numba", "llvmlite"}


def _is_installed(value: Any) -> bool:
    """Whether a module, class or function is of Python, numpy or numba, whose versions are known without reading them."""
    module = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None) or ""
    return module.partition(".")[0] in _INSTALLED


def _codes(code: CodeType) -> Iterator[CodeType]:
    """The code of a function and of all inside it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _code(compiled: Any) -> str:
    """What a function is compiled from, and how."""
    function, options = plain(compiled), getattr(compiled, "targetoptions", {})
    how = sorted((name, sorted(value) if isinstance(value, set) else value) for name, value in options.items())
    defaults = function.__defaults__, function.__kwdefaults__
    return f"{function.__qualname__} {how} {getattr(compiled, 'unroll', False)} {defaults} {_bytecode(function.__code__)}"


@functools.cache
def _bytecode(code: CodeType) -> str:
    """Digest of instructions, names and constants. Which number a constant has depends on the docstring, so it stands itself in
    its instruction's place."""
    parts: list[Any] = [code.co_names, code.co_varnames[: code.co_argcount + code.co_kwonlyargcount], code.co_freevars]
    extension = 0
    for operation, number in zip(code.co_code[::2], code.co_code[1::2], strict=True):
        number |= extension
        extension = number << 8 if operation == dis.EXTENDED_ARG else 0
        parts.append((operation, _constant(code.co_consts[number]) if operation in _CONSTANTS else number))
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def _constant(value: Any) -> str:
    if isinstance(value, CodeType):
        return _bytecode(value)
    return repr(sorted(map(repr, value))) if isinstance(value, frozenset) else repr(value)


@functools.cache
def _source(function: FunctionType) -> str:
    """What a function's source says, without comments, docstrings and decorators; its bytecode if it has none."""
    with contextlib.suppress(OSError, SyntaxError, TypeError):
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef):
                node.decorator_list = []
                if ast.get_docstring(node, clean=False) is not None:
                    node.body = node.body[1:] or [ast.Pass()]
        return repr(_shape(tree))
    return _bytecode(function.__code__)


def _shape(node: Any) -> Any:
    """A syntax tree as tuples, the same in all versions of Python, of which each writes source and empty parts in its way."""
    if isinstance(node, list):
        return [_shape(entry) for entry in node]
    if isinstance(node, ast.AST):
        return type(node).__name__, *((name, _shape(part)) for name, part in ast.iter_fields(node) if part not in (None, []))
    return node


def _constants(function: Any) -> Iterator[str]:
    """The values, as text, that a function is compiled with."""
    for name, value in values_of(function):
        if isinstance(value, np.ndarray):
            yield f"{name}: {value.dtype.descr} {value.shape} {hashlib.sha256(value.tobytes()).hexdigest()}"
        elif _is_constant(value):
            yield f"{name}: {_plain_value(value)!r}"
        elif isinstance(value, type) and issubclass(value, tuple):  # a NamedTuple, whose fields are taken in their order
            yield f"{name}: {getattr(value, '_fields', ())}"


def _is_constant(value: Any) -> bool:
    if isinstance(value, tuple):
        return all(_is_constant(entry) for entry in value)
    return isinstance(value, (bool, int, float, complex, str, bytes, np.generic, Enum))


def _plain_value(value: Any) -> Any:
    """A constant whose text is the same under every version of numpy."""
    if isinstance(value, tuple):
        return tuple(_plain_value(entry) for entry in value)
    return (value.dtype.str, value.item()) if isinstance(value, np.generic) else value
