"""Says where every element of a tensor lives: on which units of a machine, at which address.

>>> from tensor_layout import Layout
>>> layout = Layout("((16_L2B, 8_L1B, 8:8), (16_MAB, 8:1, 4_PE))")
>>> placement = layout.on("mn-core")
>>> placement.locate(100, 37)
Location(L2B=1, L1B=4, MAB=1, PE=1, Addr=33)
>>> placement.element(L2B=1, L1B=4, MAB=1, PE=1, Addr=33)
(100, 37)

A `Layout` is read from the text of a deep-learning compiler, or from an array in memory
(`Layout.of`, `from_jax`); on a `Machine` it is a `Placement`. Both return whole tables and move data
(`pack`, `unpack`), as NumPy arrays. `relayout` counts the data that moves between two layouts.
"""

import importlib as _importlib
from collections.abc import Mapping as _Mapping
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from ._native import (
    Access,
    AccessRequest,
    Candidate,
    Candidates,
    ChangedAccess,
    Cost,
    Film,
    HloRecord,
    HloRecords,
    Hop,
    Layout,
    Local,
    Location,
    Machine,
    Memory,
    Picture,
    Placement,
    Places,
    Pricer,
    Relayout,
    Report,
    Route,
    Same,
    Sharding,
    Table,
    Transfer,
    UnitPart,
    XlaAdvice,
    XlaShape,
    XlaSizes,
    __version__,
    access,
    check_spec,
    einsum,
    execute_plan,
    read_hlo,
    relayout,
    route,
)
from .errors import LayoutError, OutOfRange, ParseError

if _TYPE_CHECKING:
    from ._arrays import Empty
    from ._jax import JaxFormats, from_jax
    from ._page import Page
    from ._plan import ShardingPlan, plan

_Mapping.register(Location)

#: The modules of names that are imported when they are first used: the command needs none of them, nor NumPy.
_LATER = {
    "Empty": "_arrays",
    "JaxFormats": "_jax",
    "Page": "_page",
    "ShardingPlan": "_plan",
    "from_jax": "_jax",
    "plan": "_plan",
}


def __getattr__(name: str) -> _Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(_importlib.import_module(f".{_LATER[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATER})


__all__ = [
    "Access",
    "AccessRequest",
    "Candidate",
    "Candidates",
    "ChangedAccess",
    "Cost",
    "Empty",
    "Film",
    "HloRecord",
    "HloRecords",
    "Hop",
    "JaxFormats",
    "Layout",
    "LayoutError",
    "Local",
    "Location",
    "Machine",
    "Memory",
    "OutOfRange",
    "Page",
    "ParseError",
    "Picture",
    "Placement",
    "Places",
    "Pricer",
    "Relayout",
    "Report",
    "Route",
    "Same",
    "Sharding",
    "ShardingPlan",
    "Table",
    "Transfer",
    "UnitPart",
    "XlaAdvice",
    "XlaShape",
    "XlaSizes",
    "__version__",
    "access",
    "check_spec",
    "einsum",
    "execute_plan",
    "from_jax",
    "plan",
    "read_hlo",
    "relayout",
    "route",
]
