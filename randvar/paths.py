"""A path of a program that draws as it goes: the choices that led to where it is, and the way to the next path.

The program is replayed with the choices of the last path but for the last one that has an alternative left, which is
taken; what is drawn after that begins with the first outcome. So paths come in lexicographic order.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from randvar.arguments import coefficient
from randvar.context import RAISE_IT, current
from randvar.display import short
from randvar.errors import RandvarError, SupportTooLarge, described, one_line
from randvar.generator import ExactGenerator
from randvar.joint import Joint
from randvar.numbers.base import Numbers
from randvar.var import Var
from randvar.warrant import Warrant

if TYPE_CHECKING:
    from numpy.random import Generator

__all__ = ["Draw", "no_function"]

_BUDGET_PER_DRAW = 5000  # atoms of the budget for each draw of a path: who goes on for ever is found out after 1,000
_KEPT = 256  # laws of which the options are remembered


class Options(NamedTuple):
    """What can be drawn, with a probability each, or one for all of them."""

    outcomes: Sequence[Any]
    probs: Any
    kinds: frozenset[Numbers] = frozenset()  # 1/n goes with every kind

    def probability(self, at: int) -> Any:
        """Of one outcome."""
        return self.probs[at] if isinstance(self.probs, list) else self.probs


class _Choice:
    """One draw of a path: its options, which of them is taken, and the probability of the path up to there."""

    __slots__ = ("at", "before", "options")

    def __init__(self, options: Options, before: Any) -> None:
        self.options, self.at, self.before = options, 0, before

    def reached(self) -> Any:
        return self.before * self.options.probability(self.at)


class Draw:
    """What a program draws with: `draw(law)`, `draw.flip(p)`, and `draw.generator()` for code that takes numpy's."""

    def __init__(self) -> None:
        self._path: list[_Choice] = []
        self._depth = 0
        self._known: dict[int, tuple[Any, Options]] = {}
        self._flips: dict[tuple[type, Any], Options] = {}
        self.refusal: Exception | None = None
        self.kinds: set[Numbers] = set()
        self.warrants: set[Warrant] = set()

    def __call__(self, law: Any) -> Any:
        """An outcome of a Var, or the coordinates of a Joint as a tuple; independent of all that was drawn before."""
        known = self._known.get(id(law))
        if known is None or known[0] is not law:
            if len(self._known) >= _KEPT:
                self._known.clear()
            known = self._known[id(law)] = law, self._options(law)
        return self.one_of(known[1])

    def flip(self, p: Any) -> bool:
        """True with probability p, else False."""
        known = self._flips.get((type(p), p))
        if known is None:
            q = coefficient("draw.flip", "p", p, least=0, most=1)
            known = self._flips[type(p), p] = self._options(Var([False, True], [1 - q, q]))
        return bool(self.one_of(known))

    def generator(self) -> Generator:
        """A stand-in for numpy's Generator: choice, integers, permutation, shuffle and binomial are exact draws.

        Any other method is refused by its name.
        """
        return ExactGenerator(self)

    def uniform(self, values: Sequence[Any]) -> Any:
        """One of these, each with the same probability."""
        return self.one_of(Options(values, Fraction(1, len(values))))

    def one_of(self, options: Options) -> Any:
        """An outcome of these."""
        outcomes = options.outcomes
        if len(outcomes) == 1:
            return outcomes[0]
        if self._depth < len(self._path):
            choice = self._path[self._depth]
            if choice.options is not options and choice.options != options:
                self._refuse(no_function("it has drawn from another law than before, after the same draws"))
        else:
            self._check_length()
            self.kinds |= options.kinds
            choice = _Choice(options, self._probability())
            self._path.append(choice)
        self._depth += 1
        return outcomes[choice.at]

    def begin(self) -> None:
        """Go back to the start of the path."""
        self._depth = 0

    def end(self) -> Any:
        """The probability of the path that the program has gone to its end."""
        if self.refusal is not None:  # the program may have caught it
            raise self.refusal
        if self._depth < len(self._path):
            raise no_function("it has drawn less often than before, after the same draws")
        return self._probability()

    def to_the_next(self) -> bool:
        """Turn to the next path, if there is one."""
        while self._path:
            last = self._path[-1]
            if last.at + 1 < len(last.options.outcomes):
                last.at += 1
                return True
            self._path.pop()
        return False

    def shown(self) -> str:
        """What the program has drawn."""
        drawn = [choice.options.outcomes[choice.at] for choice in self._path[: self._depth]]
        return f"the draws {one_line(drawn)} (probability {short(self._probability())})" if drawn else "no draw"

    def _probability(self) -> Any:
        return self._path[-1].reached() if self._path else Fraction(1)

    def _options(self, law: Any) -> Options:
        if not isinstance(law, (Var, Joint)):
            self._refuse(TypeError(f"enumerated: draw takes a Var or a Joint, got {described(law)}"))
        listed = law.law
        self.warrants.add(listed.warrant)
        rows = listed.rows()
        outcomes = rows[0] if isinstance(law, Var) else list(zip(*rows, strict=True))
        return Options(outcomes, listed.probs.tolist(), frozenset([listed.numbers]))

    def _check_length(self) -> None:
        longest = max(1, current().max_atoms // _BUDGET_PER_DRAW)
        if self._depth >= longest:
            self._refuse(
                SupportTooLarge(
                    f"enumerated: a path has made {longest:,} draws and not ended; bound the number of rounds, or make"
                    f" it a fold or a markov_chain, which merge equal states; or {RAISE_IT} ({_BUDGET_PER_DRAW:,} for a"
                    " draw of a path)",
                    size=longest + 1,
                    budget=longest,
                )
            )

    def _refuse(self, refusal: Exception) -> NoReturn:
        self.refusal = refusal
        raise refusal


def no_function(why: str) -> RandvarError:
    """The refusal of a program that something else than its draws decides on."""
    return RandvarError(
        f"enumerated: the program is not a function of its draws: {why}; all that is random in it must come from"
        " `draw`, and nothing may be kept from one run to the next"
    )
