"""References within data: devalue's and Nuxt's lists of values by index, Apollo's cache of objects by id.

Rich Harris's devalue (used by SvelteKit and Nuxt 3) writes a value as a list in which every member is an index into the
same list; an object that occurs twice is written once. Apollo's cache is an object of objects by id, in which
`{"__ref": id}` stands for the object. Cycles are cut, and a value is expanded at most MAX_USES times.
"""

from typing import Any

#: How often one value is put in the place of references to it, values of one list, levels.
MAX_USES, MAX_VALUES, MAX_DEPTH = 3, 400_000, 150
#: Names of a wrapped value: `["Date", index]`; Nuxt's and Vue's own are wrappers of one value.
WRAPPERS = frozenset("Reactive ShallowReactive Ref ShallowRef EmptyRef EmptyShallowRef NuxtError Island".split())
CONTAINERS = frozenset({"Set", "Map", "null"})


def is_indexed(value: Any) -> bool:
    """Whether a JSON value is devalue's list: its first member is an object or list whose values are indices."""
    if not isinstance(value, list) or len(value) < 2:
        return False
    first = value[0]
    if isinstance(first, list):
        members = first[1:] if first and isinstance(first[0], str) else first
    elif isinstance(first, dict):
        members = list(first.values())
    else:
        return False
    return bool(members) and all(type(member) is int and member < len(value) for member in members)


def expand_indexed(values: list[Any]) -> Any:
    """The value that a list of devalue stands for."""
    return _Indexed(values).at(0, 0)


class _Indexed:
    def __init__(self, values: list[Any]) -> None:
        self.values = values
        self.uses: dict[int, int] = {}
        self.open: set[int] = set()
        self.count = 0

    def at(self, index: Any, depth: int) -> Any:
        """The value with an index; None for indices of `undefined`, holes and NaN, which are negative."""
        if type(index) is not int or not 0 <= index < len(self.values) or depth > MAX_DEPTH:
            return None
        value = self.values[index]
        if not isinstance(value, dict | list):
            return value
        self.count += 1
        uses = self.uses.get(index, 0)
        if index in self.open or uses >= MAX_USES or self.count > MAX_VALUES:
            return None
        self.uses[index] = uses + 1
        self.open.add(index)
        expanded = self.container(value, depth + 1)
        self.open.discard(index)
        return expanded

    def container(self, value: Any, depth: int) -> Any:
        if isinstance(value, dict):
            return {name: self.at(member, depth) for name, member in value.items()}
        if value and isinstance(value[0], str):
            name = value[0]
            if name in CONTAINERS:
                members = [self.at(member, depth) for member in value[1:]]
                if name == "Set":
                    return members
                pairs = zip(members[::2] if name == "Map" else value[1::2], members[1::2], strict=False)
                return {str(key): member for key, member in pairs}
            if name in WRAPPERS:
                return self.at(value[1], depth) if len(value) > 1 else None
            return value[1] if len(value) > 1 and isinstance(value[1], str) else self.at(value[-1], depth)
        return [self.at(member, depth) for member in value]


def find_cache(value: Any) -> dict[str, Any] | None:
    """The object of a value whose members refer to each other by `__ref` (Apollo): itself or one below it."""
    if not isinstance(value, dict):
        return None
    if "ROOT_QUERY" in value:
        return value
    for member in list(value.values())[:50]:
        if isinstance(member, dict):
            if "ROOT_QUERY" in member:
                return member
            inner = next(
                (one for one in list(member.values())[:50] if isinstance(one, dict) and "ROOT_QUERY" in one), None
            )
            if inner is not None:
                return inner
    return None


def expand_cache(cache: dict[str, Any]) -> list[Any]:
    """The objects of a cache that no other refers to, with the objects they refer to in place of the references."""
    expander = _Cache(cache)
    roots = ["ROOT_QUERY", *(name for name in cache if name != "ROOT_QUERY")]
    return [expander.root(name) for name in roots if name in cache and name not in expander.uses]


class _Cache:
    def __init__(self, cache: dict[str, Any]) -> None:
        self.cache = cache
        self.uses: dict[str, int] = {}
        self.open: set[str] = set()
        self.count = 0

    def root(self, name: str) -> Any:
        self.uses[name], self.open = 1, {name}
        return self.value(self.cache[name], 0)

    def value(self, value: Any, depth: int) -> Any:
        self.count += 1
        if depth > MAX_DEPTH or self.count > MAX_VALUES:
            return None
        if isinstance(value, list):
            return [self.value(member, depth + 1) for member in value]
        if not isinstance(value, dict):
            return value
        name = value.get("__ref")
        if name is None and value.get("type") == "id" and isinstance(value.get("id"), str) and len(value) <= 4:
            name = value["id"]
        if not isinstance(name, str):
            return {key: self.value(member, depth + 1) for key, member in value.items()}
        if name not in self.cache or name in self.open or self.uses.get(name, 0) >= MAX_USES:
            return None
        self.uses[name] = self.uses.get(name, 0) + 1
        self.open.add(name)
        expanded = self.value(self.cache[name], depth + 1)
        self.open.discard(name)
        return expanded


def expand_stream(values: list[Any]) -> Any:
    """The value of React Router's turbo-stream: as devalue, but the names of an object are indices too (`_3`)."""
    named = [
        {values[int(name[1:])]: member for name, member in value.items() if _is_name(name, values)}
        if isinstance(value, dict)
        else value
        for value in values
    ]
    return _Indexed(named).at(0, 0)


def _is_name(name: str, values: list[Any]) -> bool:
    return (
        name[:1] == "_"
        and name[1:].isdigit()
        and int(name[1:]) < len(values)
        and isinstance(values[int(name[1:])], str)
    )
