"""A justfile with its imports and modules, names resolved as just resolves them.

Follows "Imports", "Modules", "Enabling and Disabling Items" and "Settings" in just's README. Nothing is evaluated here.
"""

import posixpath
from collections.abc import Iterable, Iterator

from flagguard.hosts import Files
from flagguard.hosts.just_lexer import JustError
from flagguard.hosts.just_parser import parse
from flagguard.hosts.just_syntax import (
    Alias,
    Assignment,
    Attribute,
    Function,
    Import,
    Item,
    Mod,
    Recipe,
    Setting,
    Unexport,
)
from flagguard.paths import inside
from flagguard.text import Problem, SourceText, Span
from flagguard.values import dataclass, field

SYSTEMS = {
    # attribute: what platforms begin with on which it is active
    "linux": ("linux-",),
    "macos": ("macos-",),
    "windows": ("windows-",),
    "freebsd": ("freebsd-",),
    "unix": ("linux-", "macos-", "freebsd-"),
    "android": (),
    "dragonfly": (),
    "netbsd": (),
    "openbsd": (),
}
"""https://just.systems/man/en/enabling-and-disabling-items.html"""

NAMES = ("justfile", ".justfile")
"""What just looks for, in any case (https://just.systems/man/en/hiding-justfiles.html)."""
_SPELLED = ("justfile", "Justfile", ".justfile", "JUSTFILE", "JustFile", ".Justfile", ".JUSTFILE")

_MOST_FILES = 200


@dataclass
class Module:
    """One module: its own file and what that imports."""

    source: SourceText
    names: tuple[str, ...] = ()
    """Its way from the root module."""
    parent: "Module | None" = None
    assignments: dict[str, tuple[Assignment, int]] = field(default_factory=dict)
    """With how deep the import stands that brings it."""
    functions: dict[str, Function] = field(default_factory=dict)
    recipes: dict[str, tuple[Recipe, int]] = field(default_factory=dict)
    aliases: dict[str, Alias] = field(default_factory=dict)
    modules: "dict[str, Module]" = field(default_factory=dict)
    settings: dict[str, Setting] = field(default_factory=dict)
    unexports: set[str] = field(default_factory=set)
    absent: set[str] = field(default_factory=set)
    """Modules that are not in the tree."""

    @property
    def directory(self) -> str:
        return posixpath.dirname(self.source.path)

    def on(self, setting: str) -> bool:
        """Whether a boolean setting is on."""
        found = self.settings.get(setting)
        return found is not None and found.value is True

    def path(self, recipe: str) -> str:
        return "::".join((*self.names, recipe))

    def recipe(self, name: str) -> Recipe | None:
        found = self.recipes.get(name)
        return found[0] if found is not None else None

    @property
    def default(self) -> Recipe | None:
        """What runs when nobody names a recipe: the one with `[default]`, or the first of the file."""
        own = [r for r, _ in self.recipes.values()]
        marked = next((r for r in own if r.attribute("default") is not None), None)
        if marked is not None:
            return marked
        first = [r for r in own if r.span.path == self.source.path]
        return min(first, key=lambda r: r.span.start) if first else None

    @property
    def all(self) -> "Iterable[Module]":
        yield self
        for module in self.modules.values():
            yield from module.all

    def find(self, target: tuple[str, ...]) -> "tuple[Module, Recipe] | None":
        """The recipe that a path names from here, through aliases."""
        module: Module = self
        for step in target[:-1]:
            inner = module.submodule(step)
            if inner is None:
                return None
            module = inner
        seen: set[str] = set()
        name = target[-1]
        while name in module.aliases and name not in seen:
            seen.add(name)
            aim = module.aliases[name].target
            if len(aim) > 1:
                return module.find(aim)
            name = aim[0]
        recipe = module.recipe(name)
        return (module, recipe) if recipe is not None else None

    def submodule(self, name: str) -> "Module | None":
        found = self.modules.get(name)
        if found is not None or name not in self.aliases:
            return found
        module: Module | None = self
        for step in self.aliases[name].target:
            module = module.modules.get(step) if module is not None else None
        return module


def circles(root: Module) -> Iterator[Recipe]:
    """Recipes that depend on themselves, one for each circle."""
    done: set[int] = set()
    for module in root.all:
        for recipe, _ in module.recipes.values():
            path: list[int] = []
            waiting: list[tuple[Module, Recipe] | None] = [(module, recipe)]
            while waiting:
                entry = waiting.pop()
                if entry is None:
                    done.add(path.pop())
                    continue
                there, one = entry
                if id(one) in path:
                    yield one
                    continue
                if id(one) in done:
                    continue
                path.append(id(one))
                waiting.append(None)
                targets = (there.find(d.target) for d in (*one.before, *one.after))
                waiting += [target for target in targets if target is not None]


def enabled(attributes: Iterable[Attribute], platform: str) -> bool:
    """Whether an item with these attributes is there on the platform."""
    systems = [SYSTEMS[a.name] for a in attributes if a.name in SYSTEMS]
    return not systems or any(platform.startswith(begins) for begins in systems)


@dataclass
class Loader:
    """Reads a justfile and the files that it leads to, for one platform."""

    files: Files
    platform: str
    problems: list[Problem] = field(default_factory=list)
    looked_at: list[str] = field(default_factory=list)
    depends_on_platform: bool = False
    _modules: int = 0
    _defined: dict[tuple[int, str], list[tuple[str, Span]]] = field(default_factory=dict)
    """Every definition of a module, by the setting that allows doubles."""

    def root(self, source: SourceText) -> Module | None:
        """The file as the root module; None where it cannot be read."""
        root = self._module(source, (), None, (source.path,))
        for recipe in circles(root) if root is not None else ():
            self.problem(recipe.span, f"the recipe `{recipe.name}` depends on itself")
        return root

    def problem(self, span: Span, message: str, fatal: bool = True, source: SourceText | None = None) -> None:
        source = source if source is not None and source.path == span.path else self.files.read(span.path)
        line = source.position(span.start)[0] if source is not None else 1
        told = Problem(span.path, line, message, fatal=fatal)
        if told not in self.problems:
            self.problems.append(told)

    def _module(
        self, source: SourceText, names: tuple[str, ...], parent: Module | None, above: tuple[str, ...]
    ) -> Module | None:
        module = Module(source, names, parent)
        waiting = [(source, 0, above)]
        imported: set[str] = set()
        broken = False
        while waiting:
            current, depth, chain = waiting.pop()
            items = self._items(current)
            broken = broken or (items is None and current is source)
            for item in items or ():
                if any(a.name in SYSTEMS for a in item.attributes):
                    self.depends_on_platform = True
                if not enabled(item.attributes, self.platform):
                    continue
                if isinstance(item, Import):
                    found = self._import(item, current)
                    if found is not None and found.path in chain:
                        self.problem(item.span, f"{found.path} imports itself")
                    elif found is not None and found.path not in imported and len(imported) < _MOST_FILES:
                        imported.add(found.path)
                        waiting.append((found, depth + 1, (*chain, found.path)))
                elif isinstance(item, Mod):
                    self._submodule(item, current, module, chain)
                else:
                    self._define(item, depth, module, current)
        self._check(module)
        return None if broken else module

    def _items(self, source: SourceText) -> tuple[Item, ...] | None:
        try:
            return parse(source).items
        except JustError as error:
            self.problem(Span(source.path, error.at, error.at), f"not a justfile: {error.message}", source=source)
            return None

    def _define(self, item: Item, depth: int, module: Module, source: SourceText) -> None:
        """Of two definitions the shallower one counts, then the later one."""
        match item:
            case Assignment():
                self._note(module, "allow-duplicate-variables", item)
                if item.name not in module.assignments or depth <= module.assignments[item.name][1]:
                    module.assignments[item.name] = (item, depth)
            case Recipe():
                self._note(module, "allow-duplicate-recipes", item)
                if item.name not in module.recipes or depth <= module.recipes[item.name][1]:
                    module.recipes[item.name] = (item, depth)
            case Alias():
                module.aliases[item.name] = item
            case Function():
                module.functions[item.name] = item
            case Setting():
                if item.name in module.settings:
                    self.problem(item.span, f"`set {item.name}` is there twice", source=source)
                module.settings[item.name] = item
            case Unexport():
                module.unexports.add(item.name)

    def _note(self, module: Module, setting: str, item: Assignment | Recipe) -> None:
        self._defined.setdefault((id(module), setting), []).append((item.name, item.span))

    def _check(self, module: Module) -> None:
        for setting in ("allow-duplicate-variables", "allow-duplicate-recipes"):
            seen: set[str] = set()
            for name, span in self._defined.pop((id(module), setting), ()):
                if name in seen and not module.on(setting):
                    self.problem(span, f"`{name}` is defined twice; just refuses that without `set {setting}`")
                seen.add(name)

    # -- other files

    def _import(self, item: Import, source: SourceText) -> SourceText | None:
        return self._file(item.path.value.text, item.span, source, item.optional, "so its recipes are not read")

    def _file(self, name: str, span: Span, source: SourceText, optional: bool, so: str) -> SourceText | None:
        path = None if name.startswith(("/", "~")) else inside(posixpath.dirname(source.path), name)
        if path is not None:
            self.looked_at.append(path)
        found = self.files.read(path) if path is not None else None
        if found is None and not optional:
            self.problem(span, f"{name} is not in the repository, {so}", fatal=False, source=source)
        return found

    def _submodule(self, item: Mod, source: SourceText, module: Module, chain: tuple[str, ...]) -> None:
        found = self._module_file(item, source)
        if found is None:
            module.absent.add(item.name)
            if not item.optional:
                said = f"the file of the module {item.name} is not in the repository, so its recipes are not read"
                self.problem(item.span, said, fatal=False, source=source)
        elif found.path in chain:
            self.problem(item.span, f"{found.path} is a module of itself", source=source)
        elif self._modules > _MOST_FILES:
            self.problem(item.span, "more modules than can be read", source=source)
        else:
            self._modules += 1
            inner = self._module(found, (*module.names, item.name), module, (*chain, found.path))
            if inner is not None:
                module.modules[item.name] = inner

    def _module_file(self, item: Mod, source: SourceText) -> SourceText | None:
        here = posixpath.dirname(source.path)
        if item.path is None:
            names = [f"{item.name}.just", f"{item.name}/mod.just", *(f"{item.name}/{n}" for n in _SPELLED)]
        else:
            given = item.path.value.text
            if given.startswith(("/", "~")):
                return None
            names = [given, f"{given}/mod.just", *(f"{given}/{n}" for n in _SPELLED)]
        for name in names:
            path = inside(here, name)
            if path is None:
                continue
            self.looked_at.append(path)
            found = self.files.read(path)
            if found is not None:
                return found
        return None


def justfile_in(directory: str, files: Files) -> SourceText | None:
    """The justfile of a folder."""
    for name in _SPELLED:
        found = files.read(f"{directory}/{name}".lstrip("/"))
        if found is not None:
            return found
    return None
