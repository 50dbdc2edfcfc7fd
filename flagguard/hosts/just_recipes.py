"""From recipes to the scripts that they run: parameters, dependencies, lines and whole scripts.

Follows "Recipe Parameters", "Dependencies", "Sigils", "Shebang Recipes", "Script Recipes" and "Positional Arguments" in
just's README. One world, one platform.
"""

from collections.abc import Sequence

from flagguard.command import Dialect, Place, Script, Word
from flagguard.hosts import Setting
from flagguard.hosts.just_builtins import Builtins
from flagguard.hosts.just_call import Called
from flagguard.hosts.just_evaluator import Evaluator, Frame, Notes, Stop, Value, together
from flagguard.hosts.just_modules import Module
from flagguard.hosts.just_surroundings import NAME, Surroundings
from flagguard.hosts.just_syntax import Dependency, Line, Parameter, Recipe
from flagguard.hosts.shells import READ_AS_BASH, SHELLS, options, program
from flagguard.hosts.shellscript import interpreter
from flagguard.text import Decider, Hole, Piece, Span, Traced, hole, join, literal
from flagguard.values import dataclass

_MOST_DEEP = 40
"""How many recipes may depend on each other in a row,"""
_MOST_RUN = 400
"""and how many may run in all."""

Given = tuple[Value, ...]
"""For each parameter what a caller gives; nothing: its default."""
Ran = set[tuple[object, ...]]


@dataclass(frozen=True)
class Instance:
    """A recipe that runs."""

    module: Module
    recipe: Recipe
    given: Given | None = None
    """None: nobody calls it."""
    dependency: bool = False
    unit: str = ""
    via: tuple[Span, ...] = ()
    depth: int = 0

    @property
    def path(self) -> str:
        return self.module.path(self.recipe.name)


class Recipes:
    """The recipes of one evaluation."""

    def __init__(self, evaluator: Evaluator, setting: Setting, called: Called, looked_at: list[str]) -> None:
        self.evaluator = evaluator
        self.called = called
        self.surroundings = Surroundings(evaluator, setting, called, looked_at)
        self.builtins = Builtins(evaluator, self.surroundings, setting)
        self.scripts: list[Script] = []
        self._runs = 0
        self._prepared = False

    def begin(self) -> None:
        """Forget what the last recipe left."""
        self.evaluator.notes = Notes()
        self.scripts, self._runs = [], 0

    def variables(self, root: Module) -> None:
        """Evaluate every variable, as just does before anything runs; :class:`Stop` where it stops there.

        With ``set lazy`` only those that are exported.
        """
        for module in root.all:
            self.surroundings.dotenv(module)
            lazy = any(m.on("lazy") for m in _chain(module))
            for name, (assignment, _) in module.assignments.items():
                if not lazy or assignment.export or assignment.eager or module.on("export"):
                    self.evaluator.variable(module, name)

    def prepare(self, root: Module) -> None:
        """:meth:`variables`, without what they hang on: only what a recipe uses matters to it."""
        if self._prepared:
            return
        outer, self.evaluator.notes = self.evaluator.notes, Notes()
        try:
            self.variables(root)
            self._prepared = True
        except Stop:
            outer.add(self.evaluator.notes)
            raise
        finally:
            self.evaluator.notes = outer

    @property
    def of_variables(self) -> list[Script]:
        """The commands of the variables that were evaluated, and of environment files."""
        return [*self.surroundings.scripts, *self.builtins.top]

    # -- running

    def run(self, instance: Instance, ran: Ran | None) -> None:
        """The recipe with what it depends on. Without ``ran``, recipes that others may start by themselves are left."""
        self._runs += 1
        if instance.depth > _MOST_DEEP or self._runs > _MOST_RUN:
            self.evaluator.report(instance.recipe.span, "recipes depend on each other too deeply to be followed")
            return
        key = (instance.path, *((text.pieces for v in instance.given for text in v) if instance.given else ()))
        if ran is not None:
            if key in ran:
                return
            ran.add(key)
        outer = self.builtins.inner, self.builtins.unit, self.builtins.via
        self.builtins.inner, self.builtins.unit, self.builtins.via = [], instance.unit, instance.via
        try:
            frame, positional = self._bound(instance)
            self._take_inner()
            self._depended(instance.recipe.before, instance, frame, ran)
            self._body(instance, frame, positional)
            self._depended(instance.recipe.after, instance, frame, set() if ran is not None else None)
        finally:
            self.builtins.inner, self.builtins.unit, self.builtins.via = outer

    def _take_inner(self) -> None:
        """The commands inside backticks that were met since the last time."""
        self.scripts += self.builtins.inner
        self.builtins.inner = []

    # -- parameters

    def _bound(self, instance: Instance) -> tuple[Frame, list[Traced] | None]:
        """The recipe's parameters with their values, and the positional arguments; None: nobody knows them."""
        recipe, module = instance.recipe, instance.module
        lists = module.on("lists")
        frame = Frame(module, recipe, dependency=instance.dependency)
        frame.exports = self._env_attributes(recipe, frame)
        positional: list[Traced] | None = []
        exports: list[tuple[str, Traced]] = []
        own: set[str] = set()
        for index, parameter in enumerate(recipe.parameters):
            given = instance.given[index] if instance.given is not None else ()
            if given:
                value = given
            else:
                own.add(parameter.name)
                frame.own = frozenset(own)
                value = self._ungiven(parameter, instance, frame)
            if parameter.many and any(not text.known for text in value) and not given:
                positional = None
            if positional is not None and (value or not parameter.many):
                positional += value if parameter.many else [together(value)]
            value = value if lists else (together(value),)
            frame.arguments[parameter.name] = value
            if value and (parameter.export or module.on("export")):
                exports.append((parameter.name, together(value)))
        frame.exports = (*exports, *frame.exports)
        frame.environment = self.surroundings.environment(frame)
        return frame, positional

    def _env_attributes(self, recipe: Recipe, frame: Frame) -> tuple[tuple[str, Traced], ...]:
        found = []
        for attribute in recipe.attributes:
            if attribute.name == "env" and len(attribute.arguments) == 2:
                name = self.evaluator.text(attribute.arguments[0], frame)
                value = self.evaluator.value(attribute.arguments[1], frame)
                if value and name.known:
                    found.append((name.text, together(value)))
        return tuple(found)

    def _ungiven(self, parameter: Parameter, instance: Instance, frame: Frame) -> Value:
        """What a parameter is that the caller gives nothing for."""
        shown = f"{{{{{parameter.name}}}}}"
        gap = Hole(shown, "it is an argument of the recipe", Decider.OUTSIDE)
        alone = instance.given is None
        if parameter.default is not None:
            value = self.evaluator.value(parameter.default, frame)
            if not alone:
                return value
            default = together(value).overridable()
            found = self.evaluator.from_outside(shown, parameter.name, default, gap, parameter.span)
            if shown in self.evaluator.notes.defaults:
                frame.defaults[parameter.name] = self.evaluator.notes.defaults[shown]
            return value if not value else (found,)
        if parameter.flag:
            return ()
        if parameter.many == "*":
            return (Traced((Piece("", unset=parameter.name),)),) if alone else ()
        if not alone:
            raise Stop(parameter.span, f"the argument `{parameter.name}` is missing")
        assumption = self.evaluator.assumed(shown)
        if assumption is not None and assumption.value is not None:
            return (assumption.value,)
        return (hole(gap),)

    # -- dependencies

    def _depended(self, dependencies: Sequence[Dependency], instance: Instance, frame: Frame, ran: Ran | None) -> None:
        if self.called.options.no_dependencies:
            return
        for dependency in dependencies:
            found = self.target(dependency, instance.module)
            if found is None or (ran is None and not dependency.arguments):
                continue
            module, recipe = found
            for given in self._arguments(dependency, recipe, module, frame):
                handed = bool(dependency.arguments)
                inner = Instance(
                    module,
                    recipe,
                    given,
                    True,
                    instance.unit if handed else module.path(recipe.name),
                    (*instance.via, dependency.span) if handed else instance.via,
                    instance.depth + 1,
                )
                self._take_inner()
                self.run(inner, ran)

    def target(self, dependency: Dependency, module: Module) -> tuple[Module, Recipe] | None:
        """The recipe that a dependency names; told where there is none."""
        found = module.find(dependency.target)
        shown = "::".join(dependency.target)
        fragment = module.source.path.lower().endswith(".just")
        if found is None and dependency.target[0] not in module.absent and not fragment:
            self.evaluator.report(dependency.span, f"there is no recipe `{shown}`")
        return found

    def _arguments(self, dependency: Dependency, recipe: Recipe, module: Module, frame: Frame) -> list[Given]:
        """What each run of the recipe gets: one for each item where the dependency is mapped."""
        values = [self.evaluator.value(a.value, frame) for a in dependency.arguments]
        lists = frame.module.on("lists")
        given: list[Value] = []
        rest = list(values)
        star: int | None = None
        for index, parameter in enumerate(recipe.parameters):
            taken: Value = ()
            if parameter.many and not lists:
                taken = tuple(together(v) for v in rest)
                rest = []
            elif rest:
                if dependency.arguments[len(values) - len(rest)].starred:
                    star = index
                first = rest.pop(0)
                taken = first if lists else (together(first),)
            given.append(taken)
        missing = any(p.required and not g for p, g in zip(recipe.parameters, given, strict=True))
        if rest or (missing and not lists):
            self.evaluator.report(dependency.span, f"`{recipe.name}` does not take {len(values)} arguments")
            return []
        if star is None:
            return [tuple(given)]
        return [(*given[:star], (item,), *given[star + 1 :]) for item in given[star]]

    # -- bodies

    def _body(self, instance: Instance, frame: Frame, positional: list[Traced] | None) -> None:
        recipe, module = instance.recipe, instance.module
        passes = module.on("positional-arguments") or recipe.attribute("positional-arguments") is not None
        arguments = positional if passes else []
        directory = self.surroundings.directory(recipe, frame)
        if self._is_script(recipe, module):
            self._script(instance, frame, arguments, directory)
            return
        lines = list(recipe.body)
        while lines:
            first = lines[0]
            comment = module.on("ignore-comments") and first.first.startswith("#")
            sigils = _sigils(first, module.on("guards"))
            parts: list[Traced] = []
            continued = False
            while lines:
                line = lines.pop(0)
                if comment:
                    break
                parts.append(self._line(line, frame, continued))
                if not line.continues:
                    break
                parts[-1] = parts[-1].cut(0, len(parts[-1]) - 1)
                continued = True
            if first.first[:1] in (" ", "\t") and not comment:
                self.evaluator.report(first.span, "just refuses a recipe's line with more indentation than the first")
            text = join(parts)
            text = text.cut(len(sigils), len(text))
            self._take_inner()
            if text.text:
                self.scripts.append(
                    self.surroundings.script(
                        text,
                        frame,
                        unit=instance.unit,
                        via=instance.via,
                        directory=directory,
                        arguments=arguments,
                        name=literal(recipe.name) if passes else None,
                        ignored="-" in sigils,
                    )
                )

    def _line(self, line: Line, frame: Frame, continued: bool) -> Traced:
        parts: list[Traced] = []
        for index, part in enumerate(line.parts):
            if isinstance(part, Traced):
                blanks = len(part.text) - len(part.text.lstrip()) if index == 0 and continued else 0
                parts.append(part.cut(blanks, len(part)))
            else:
                parts.append(self.evaluator.through(part, frame))
        return join(parts)

    def _is_script(self, recipe: Recipe, module: Module) -> bool:
        if recipe.attribute("shell") is not None:
            return False
        return recipe.shebang or recipe.attribute("script") is not None or module.on("default-script")

    def _script(self, instance: Instance, frame: Frame, arguments: list[Traced] | None, directory: str | None) -> None:
        """A recipe that is one script, in the language that its first line or its attribute names."""
        recipe = instance.recipe
        lines = [self._line(line, frame, False) for line in recipe.body]
        self._take_inner()
        language, words = self._language(recipe, frame, lines[0].text if lines else "")
        if not lines:
            return
        dialect = SHELLS.get(language, Dialect.CMD if language.lower() == "cmd" else Dialect.UNREAD)
        errexit, pipefail = options(words)
        if dialect is Dialect.UNREAD or language in READ_AS_BASH:
            told = "is read as bash" if language in READ_AS_BASH else "is not read, so its commands are not judged"
            self.evaluator.report(recipe.span, f"{instance.path}: {language or 'the language'} {told}", fatal=False)
        text = join(part for line in lines for part in (line, literal("\n")))
        self.scripts.append(
            Script(
                Place(NAME, task=instance.path),
                dialect,
                text,
                (),
                self.surroundings.environment(frame),
                tuple(Word(a.pieces) for a in arguments or ()),
                arguments is not None,
                errexit=errexit,
                pipefail=pipefail,
                via=instance.via,
                directory=directory,
                outside=self.surroundings.unset(frame, text),
                unit=instance.unit,
                language=language if dialect is Dialect.UNREAD else "",
            )
        )

    def _language(self, recipe: Recipe, frame: Frame, first: str) -> tuple[str, list[str]]:
        """The interpreter's name, and the words behind it."""
        attribute = recipe.attribute("script")
        if attribute is None and recipe.shebang:
            return interpreter(first)
        said: Value | None = None
        if attribute is not None and attribute.arguments:
            said = tuple(self.evaluator.text(a, frame) for a in attribute.arguments)
        if said is None:
            said = self.surroundings.said_words(frame.module, "script-interpreter")
        words = [w.text for w in said] if said else ["sh", "-eu"]
        if program(words[0]) in ("env", "busybox"):
            return interpreter("#!" + " ".join(words))
        return program(words[0]), words[1:]


def _sigils(line: Line, guards: bool) -> str:
    """`@`, `-` and, with `set guards`, `?` before a command: each once."""
    found = ""
    for sign in line.first:
        if sign not in ("@-?" if guards else "@-"):
            break
        found += sign
        if found.count(sign) > 1:
            return found[:-1]
    return found


def _chain(module: Module) -> list[Module]:
    found = [module]
    while found[-1].parent is not None:
        found.append(found[-1].parent)
    return found
