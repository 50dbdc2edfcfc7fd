"""Values: ``dataclass``, ``field`` and ``replace`` as in the standard library, made for programs that run for a moment.

The standard decorator imports ``inspect`` and compiles six methods for each class when the class is made: more than a
third of the time of one `flagguard check` on one file (measured, `tests/bench/`). Here a method is compiled when it is
first called, so that a class nobody uses costs nothing. Only what this project needs is there: no ``kw_only``, no
``InitVar``, no ``init=False``.

To type checkers these are the standard ones; to ``dataclasses.fields``, ``asdict`` and ``replace`` the classes are
dataclasses like others. Knows nothing of what the values mean. Follows the Python library reference, "dataclasses".
"""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

__all__ = ["cached_property", "dataclass", "entries", "field", "replace"]

if TYPE_CHECKING:
    from dataclasses import dataclass, field, replace
    from functools import cached_property
else:

    def dataclass(cls=None, /, *, frozen=False, slots=False, order=False, eq=True):
        """As ``dataclasses.dataclass``."""
        if cls is None:
            return lambda cls: _made(cls, frozen, slots, order, eq)
        return _made(cls, frozen, slots, order, eq)

    def field(*, default=..., default_factory=None, compare=True, repr=True):
        """As ``dataclasses.field``; an ellipsis is no default."""
        return _Field("", default, default_factory, compare, repr)

    def replace(value, /, **changes):
        """As ``dataclasses.replace``."""
        return value.__replace_fields__(changes)

    class cached_property:  # noqa: N801
        """As ``functools.cached_property``, without the lock that it has before Python 3.12."""

        def __init__(self, make):
            self.make, self.name, self.__doc__ = make, make.__name__, make.__doc__

        def __get__(self, value, cls=None):
            if value is None:
                return self
            made = value.__dict__[self.name] = self.make(value)
            return made


def entries(value: Any) -> dict[str, Any]:
    """The fields of a value by name, not deeper; as ``dataclasses.asdict`` for a value that holds no others."""
    return {name: getattr(value, name) for name in value.__match_args__}


class _Field:
    """One field, as its class declares it."""

    __slots__ = ("compare", "default", "factory", "name", "repr")

    def __init__(self, name: str, default: Any, factory: Callable[[], Any] | None, compare: bool, repr: bool) -> None:
        self.name, self.default, self.factory, self.compare, self.repr = name, default, factory, compare, repr


class _Standard:
    """``__dataclass_fields__``, made when somebody asks: the standard library's functions look for it."""

    def __get__(self, value: object, cls: Any) -> Any:
        import dataclasses

        # those functions ask for the names, and for what is compared and shown; the defaults stay here
        made = [(f.name, Any, dataclasses.field(compare=f.compare, repr=f.repr)) for f in cls.__value_fields__]
        found = dataclasses.make_dataclass(cls.__name__, made).__dataclass_fields__  # type: ignore[attr-defined]
        cls.__dataclass_fields__ = found
        return found


_STANDARD: Any = _Standard()


def _made(cls: Any, frozen: bool, slots: bool, order: bool, eq: bool) -> Any:
    fields = {own.name: own for base in cls.__mro__[:0:-1] for own in base.__dict__.get("__value_fields__", ())}
    declared = {name: _declared(cls, name) for name in cls.__annotations__}
    fields |= declared
    cls.__value_fields__ = tuple(fields.values())
    cls.__match_args__ = tuple(fields)  # type: ignore[misc]
    cls.__dataclass_fields__ = _STANDARD
    if slots:
        cls = _slotted(cls, declared)
    _later(cls, "__init__", partial(_init, cls, frozen))
    cls.__replace_fields__ = _first_replaced
    if "__repr__" not in cls.__dict__:
        cls.__repr__ = _repr
    if eq:
        _later(cls, "__eq__", partial(_comparison, cls, "__eq__", "=="))
        if cls.__dict__.get("__hash__") is None:
            if frozen:
                _later(cls, "__hash__", partial(_hash, cls))
            else:
                cls.__hash__ = None
    if order:
        for name, sign in (("__lt__", "<"), ("__le__", "<="), ("__gt__", ">"), ("__ge__", ">=")):
            _later(cls, name, partial(_comparison, cls, name, sign))
    if frozen:
        cls.__setattr__ = cls.__delattr__ = _refuse
    return cls


def _declared(cls: Any, name: str) -> _Field:
    default = cls.__dict__.get(name, ...)
    if not isinstance(default, _Field):
        return _Field(name, default, None, True, True)
    default.name = name
    if default.default is ...:
        delattr(cls, name)
    else:
        setattr(cls, name, default.default)
    return default


def _slotted(cls: Any, declared: Iterable[str]) -> Any:
    """The class once more, with slots: they can be said only when a class is made."""
    body = {k: v for k, v in cls.__dict__.items() if k not in declared and k not in ("__dict__", "__weakref__")}
    made = type(cls)(cls.__name__, cls.__bases__, body | {"__slots__": tuple(declared)})
    made.__qualname__ = cls.__qualname__
    return made


def _later(cls: Any, name: str, make: Callable[[], Any]) -> None:
    """A method that is made when it is first called; one that the class has itself stays."""
    if name in cls.__dict__ and name != "__hash__":
        return

    def first(self: Any, *args: Any, **named: Any) -> Any:
        made = make()
        setattr(cls, name, made)
        return made(self, *args, **named)

    setattr(cls, name, first)


def _init(cls: Any, frozen: bool) -> Any:
    slots = cls.__dict__.get("__slots__")
    known: dict[str, Any] = {"unset": ...}
    head, body = [], []
    if frozen and slots is None:
        body.append("d = self.__dict__")
    for number, own in enumerate(cls.__value_fields__):
        given = own.name
        if own.factory is not None:
            known[f"make{number}"] = own.factory
            head.append(f"{given}=unset")
            given = f"make{number}() if {given} is unset else {given}"
        elif own.default is not ...:
            known[f"default{number}"] = own.default
            head.append(f"{given}=default{number}")
        else:
            head.append(given)
        if not frozen:
            body.append(f"self.{own.name} = {given}")
        elif slots is None:
            body.append(f"d[{own.name!r}] = {given}")
        else:
            known[f"set{number}"] = getattr(cls, own.name).__set__
            body.append(f"set{number}(self, {given})")
    if hasattr(cls, "__post_init__"):
        body.append("self.__post_init__()")
    return _compiled(f"def __init__(self, {', '.join(head)}):", body or ["pass"], known, cls)


def _first_replaced(self: Any, changes: dict[str, Any]) -> Any:
    """What ``replace`` calls first; a class makes its own when it is asked for."""
    cls = self.__class__
    cls.__replace_fields__ = made = _replacement(cls)
    return made(self, changes)


def _replacement(cls: Any) -> Any:
    """Takes the fields over as they are: to go through ``__init__`` costs three times as much."""
    names = [own.name for own in cls.__value_fields__]
    known: dict[str, Any] = {"cls": cls, "new": object.__new__, "names": frozenset(names)}
    if hasattr(cls, "__post_init__") or "__slots__" in cls.__dict__:
        given = ", ".join(f"changes.pop({n!r}) if {n!r} in changes else self.{n}" for n in names)
        return _compiled("def replaced(self, changes):", [f"return cls({given}, **changes)"], known, cls)
    body = ["made = new(cls)", "old, d = self.__dict__, made.__dict__"]
    body += [f"d[{n!r}] = old[{n!r}]" for n in names]
    body += ["if not names.issuperset(changes):", "    cls(**changes)", "d.update(changes)", "return made"]
    return _compiled("def replaced(self, changes):", body, known, cls)


def _comparison(cls: Any, name: str, sign: str) -> Any:
    names = [own.name for own in cls.__value_fields__ if own.compare]
    mine, other = (f"({''.join(f'{owner}.{name}, ' for name in names)})" for owner in ("self", "other"))
    body = ["if other.__class__ is self.__class__:", f"    return {mine} {sign} {other}", "return NotImplemented"]
    return _compiled(f"def {name}(self, other):", body, {}, cls)


def _hash(cls: Any) -> Any:
    """Of a class without slots each value keeps its own: words are looked up again and again."""
    names = [own.name for own in cls.__value_fields__ if own.compare]
    made = f"hash(({''.join(f'self.{n}, ' for n in names)}))"
    if cls.__dict__.get("__slots__") is not None:
        return _compiled("def __hash__(self):", [f"return {made}"], {}, cls)
    body = ["d = self.__dict__", "found = d.get('_hash')", "if found is None:"]
    body += [f"    found = d['_hash'] = {made}", "return found"]
    return _compiled("def __hash__(self):", body, {}, cls)


def _compiled(head: str, body: Sequence[str], known: dict[str, Any], cls: Any) -> Any:
    exec("\n    ".join((head, *body)), known)
    made = known[head[4 : head.index("(")]]
    made.__qualname__ = f"{cls.__qualname__}.{made.__name__}"
    return made


def _repr(self: Any) -> str:
    shown = ", ".join(f"{own.name}={getattr(self, own.name)!r}" for own in self.__value_fields__ if own.repr)
    return f"{self.__class__.__qualname__}({shown})"


def _refuse(self: Any, name: str, *value: Any) -> None:
    from dataclasses import FrozenInstanceError

    raise FrozenInstanceError(f"cannot {'assign to' if value else 'delete'} field {name!r}")
