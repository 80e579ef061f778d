"""Errors: subclasses of `ValueError` that say what is wrong, where, and what to do about it.

An argument of the wrong type is a `TypeError`, as everywhere in Python.
"""

from typing import Any


class LayoutError(ValueError):
    """An invalid argument, request or layout.

    `kind` is the name of the problem, `help` the remedy if one is known.
    """

    def __init__(self, message: str, *, kind: str | None = None, help: str | None = None) -> None:
        super().__init__(message)
        self.kind = kind
        self.help = help

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), self.args, self.__dict__)


class ParseError(LayoutError):
    """A text that cannot be parsed; the message draws a caret below the error.

    `span` is the range of the invalid characters in `text`, `related` that of a second position.

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
