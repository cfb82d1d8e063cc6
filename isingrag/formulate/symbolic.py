"""The readable rendering: PyQUBO expressions with named constraints and placeholders.

The only file that knows PyQUBO. Its traps (1.5.0): two constraints of one label become one; a
binary and a spin of one name are taken as one; decoding without a placeholder's value ends the
process; ``product + sum`` is a TypeError while ``sum + product`` works, so expressions here start
from a sum, and users add their terms on the right; ``x*x`` is ``x``. We never decode with PyQUBO.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from isingrag.common.arrays import check_number
from isingrag.errors import InputError
from isingrag.formulate.penalties import PENALTY_KINDS
from isingrag.model import Model

__all__ = ["Polynomial", "is_expression", "polynomial", "render"]

T = TypeVar("T")

#: Stack of the thread that walks an expression: sums nested 20,000 deep must not end the process (L06).
STACK_BYTES = 512 * 2**20

_PLACEHOLDER = re.compile(r"Placeholder\('([^']*)'\)")
_CONSTRAINT = re.compile(r", '([^']*)'\)")
_NOT_FINITE = re.compile(r"(?<![\w'])-?(?:nan|inf)\b(?!')")
_NOT_FINITE_TERM = re.compile(r"-?(?:nan|inf) \* (?:Binary|Spin)\('.*?'\)")


def is_expression(value: object) -> bool:
    """Whether a value is a PyQUBO expression, without importing PyQUBO."""
    return type(value).__module__.split(".")[0] in ("cpp_pyqubo", "pyqubo")


def render(model: Model) -> Any:
    """A model as a PyQUBO expression: objective plus ``lambda_X * Constraint(square, label)``.

    The penalties are placeholders (``lambda_K``, ``lambda_P``, ...), so a compiled PyQUBO model can
    be evaluated at any weights.
    """
    from pyqubo import Binary, Constraint, Num, Placeholder

    variables = [Binary(name) for name in model.names]
    objective = model.objective
    expression = Num(float(objective.offset)) + Num(0.0)
    for position, value in enumerate(objective.linear):
        expression = expression + float(value) * variables[position]
    for i, k, value in zip(objective.rows, objective.columns, objective.values, strict=True):
        expression = expression + float(value) * variables[i] * variables[k]
    for c in model.constraints:
        side = Num(float(c.constant)) + Num(0.0)
        for p, a in zip(c.positions, c.coefficients, strict=True):
            side = side + float(a) * variables[p]
        expression = expression + Placeholder(c.kind) * Constraint(side * side, c.label)
    return expression


@dataclass(frozen=True)
class Polynomial:
    """Quadratic terms of an expression.

    Attributes
    ----------
    terms : dict
        ``{(name, name): coefficient}``; equal names are linear terms; names of a pair are sorted.
    offset : float
    products : dict
        Product variables made by degree reduction: ``{name: (factor, factor)}``.
    """

    terms: Mapping[tuple[str, str], float]
    offset: float
    products: Mapping[str, tuple[str, str]]

    @property
    def names(self) -> list[str]:
        """Variable names, sorted."""
        return sorted({name for pair in self.terms for name in pair})


def polynomial(expression: Any, parameters: Mapping[str, float], known: Model | None = None) -> Polynomial:
    """Quadratic terms of a PyQUBO expression, products of three and more reduced safely.

    Parameters
    ----------
    expression : PyQUBO expression
    parameters : mapping
        Values of the user's placeholders; the penalties of `render` are set to 0, which leaves
        the objective and the user's own terms.
    known : Model, optional
        The model whose rendering the expression holds. Its names and labels may hold any text,
        quotes too, which PyQUBO's printed form does not escape.

    Raises
    ------
    InputError
        A coefficient is NaN or infinite (PyQUBO would drop it, L07), a constraint label repeats (L01),
        a name is used as 0/1 variable and as spin (L03), or a placeholder has no value (L05).
    """
    printed = text = _deep(lambda: repr(expression))
    if known is not None:
        text = _without_known(text, known)
    _check_names(text)
    strange = _NOT_FINITE.search(text)
    if strange:
        raise InputError(
            "a coefficient is not finite",
            found=(_NOT_FINITE_TERM.search(printed) or strange).group(),
            allowed="finite numbers",
            where="expression",
        )
    values = dict.fromkeys(PENALTY_KINDS, 0.0)
    values |= {name: check_number(f"parameters[{name}]", value) for name, value in parameters.items()}
    missing = sorted(set(_PLACEHOLDER.findall(text)) - set(values))
    if missing:
        raise InputError(
            "a placeholder has no value", found=missing[0], allowed="parameters={name: number}", where="expression"
        )

    def quadratics() -> tuple[dict[tuple[str, str], float], float, dict[tuple[str, str], float]]:
        found, offset = expression.compile(strength=1.0).to_qubo(feed_dict=values)
        one = _sorted(found)
        two = _sorted(expression.compile(strength=2.0).to_qubo(feed_dict=values)[0])
        # a term and its gadget may cancel at either strength, and PyQUBO leaves zeros out
        one |= {pair: 0.0 for pair in two if pair not in one}
        gadgets = {pair: two.get(pair, 0.0) - value for pair, value in one.items()}
        return one, float(offset), {pair: value for pair, value in gadgets.items() if abs(value) > 1e-9}

    one, offset, gadgets = _deep(quadratics)
    base = {pair: value - gadgets.get(pair, 0.0) for pair, value in one.items()}
    products = _products(gadgets)
    terms = _sorted(_with_gadgets(base, products))
    return Polynomial(terms, offset, products)


def _deep(work: Callable[[], T]) -> T:
    """Run in a thread with a large stack; PyQUBO's walks are recursive."""
    box: list[Any] = []

    def run() -> None:
        try:
            box.append((True, work()))
        except BaseException as error:
            box.append((False, error))

    before = threading.stack_size(STACK_BYTES)
    try:
        thread = threading.Thread(target=run)
        thread.start()
    finally:
        threading.stack_size(before)
    thread.join()
    good, value = box[0]
    if not good:
        raise value
    result: T = value
    return result


def _without_known(text: str, model: Model) -> str:
    """The printed form without a model's own names and labels, after looking for their misuse.

    Each name stands as ``Binary()`` in the result, so that no text inside a name is read as syntax.
    """
    for name in sorted(model.names, key=len, reverse=True):
        if f"Spin('{name}')" in text and f"Binary('{name}')" in text:
            _refuse_types(name)
        text = text.replace(f"Binary('{name}')", "Binary()")
    for label in sorted((c.label for c in model.constraints), key=len, reverse=True):
        end = f", '{label}')"
        if text.count(end) > 1:
            _refuse_label(label)
        text = text.replace(end, ")")
    return text


def _refuse_label(label: str) -> None:
    raise InputError("a constraint label repeats", found=repr(label), allowed="unique labels", where="expression")


def _refuse_types(name: str) -> None:
    raise InputError(
        "a name is used as a 0/1 variable and as a spin", found=repr(name), allowed="one type", where="expression"
    )


def _check_names(text: str) -> None:
    labels = _CONSTRAINT.findall(text)
    twice = sorted({label for label in labels if labels.count(label) > 1})
    if twice:
        _refuse_label(twice[0])
    binaries = set(re.findall(r"Binary\('([^']*)'\)", text))
    spins = set(re.findall(r"Spin\('([^']*)'\)", text))
    both = sorted(binaries & spins)
    if both:
        _refuse_types(both[0])


def _products(gadgets: Mapping[tuple[str, str], float]) -> dict[str, tuple[str, str]]:
    """Product variables and their factors, from the reduction terms ``ab - 2az - 2bz + 3z``."""
    partners: dict[str, list[str]] = {}
    for (a, b), value in gadgets.items():
        if a != b and value < 0:
            partners.setdefault(a, []).append(b)
            partners.setdefault(b, []).append(a)
    products = {}
    for name, others in partners.items():
        for a in others:
            for b in others:
                if name == f"{a} * {b}":
                    products[name] = (a, b)
    return products


def _with_gadgets(
    base: Mapping[tuple[str, str], float], products: Mapping[str, tuple[str, str]]
) -> dict[tuple[str, str], float]:
    """Add each product's reduction terms with a strength derived from the terms it carries (L04).

    Flipping a product variable changes the rest of the energy by at most the sum of the
    coefficients at it, so a strength above that sum keeps it equal to its factors' product. Outer
    products come first, so that an inner one also outweighs the terms they put on it.

    PyQUBO moves a plain term ``c ab`` onto the product of a and b; it is moved back first, so that the
    strength follows from the terms of higher degree alone, and a product that carries none is left out.
    """
    terms = _sorted(base)
    for name in sorted(products, key=len, reverse=True):
        a, b = sorted(products[name])
        terms[(a, b)] = terms.get((a, b), 0.0) + terms.pop((name, name), 0.0)
        load = sum(abs(value) for pair, value in terms.items() if name in pair)
        if load == 0:
            continue
        strength = 1.01 * load
        for pair, factor in (((a, b), 1.0), ((a, name), -2.0), ((b, name), -2.0), ((name, name), 3.0)):
            terms[pair] = terms.get(pair, 0.0) + strength * factor
    return terms


def _sorted(terms: Mapping[tuple[str, str], float]) -> dict[tuple[str, str], float]:
    result: dict[tuple[str, str], float] = {}
    for (a, b), value in terms.items():
        key = (a, b) if a <= b else (b, a)
        result[key] = result.get(key, 0.0) + value
    return result
