"""Refusals: subclasses of `ValueError` that say what is wrong, where, and what to do about it.

An argument of the wrong type is a `TypeError`, as everywhere in Python.
"""

from typing import Any


class LayoutError(ValueError):
    """A refusal: of an argument, of a question, of what a layout means.

    `kind` is the name of what is wrong, `help` the remedy where one is known.
    """

    def __init__(self, message: str, *, kind: str | None = None, help: str | None = None) -> None:
        super().__init__(message)
        self.kind = kind
        self.help = help

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), self.args, self.__dict__)


class ParseError(LayoutError):
    """A refusal of a text; the message draws a caret below the fault.

    `span` are the characters of `text` at fault, `related` those of a second place.

    >>> from tensor_layout import Layout, ParseError
    >>> try:
    ...     Layout("((4_PE, 3:0))x")
    ... except ParseError as error:
    ...     print(error.span, error.text[slice(*error.span)])
    (13, 14) x
    """

    def __init__(
        self,
        message: str,
        *,
        kind: str | None = None,
        help: str | None = None,
        text: str = "",
        span: tuple[int, int] = (0, 0),
        related: tuple[int, int] | None = None,
    ) -> None:
        super().__init__(message, kind=kind, help=help)
        self.text = text
        self.span = span
        self.related = related


class OutOfRange(LayoutError, IndexError):
    """An index or a place beyond the layout."""
