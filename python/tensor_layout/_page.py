"""The page of `explore`, in a notebook or as a file."""

from html import escape
from os import PathLike
from pathlib import Path


class Page:
    """A self-contained interactive page for a layout.

    >>> from tensor_layout import Layout
    >>> page = Layout("((4_PE, 3:8), (8:1))").explore(height=400)
    >>> page
    <Page: 400 pixels>
    """

    def __init__(self, html: str, height: int = 640) -> None:
        self.html = html
        self.height = height

    def save(self, path: str | PathLike[str]) -> None:
        """Writes the page to a file that browsers can open directly."""
        Path(path).write_text(self.html, encoding="utf-8")

    def _repr_html_(self) -> str:
        style = "width: 100%; border: 1px solid #ccc"
        # The scripts of the page cannot reach the notebook around it.
        return (
            f'<iframe srcdoc="{escape(self.html)}" height="{self.height}" style="{style}" '
            'sandbox="allow-scripts allow-downloads"></iframe>'
        )

    def __repr__(self) -> str:
        return f"<Page: {self.height} pixels>"
