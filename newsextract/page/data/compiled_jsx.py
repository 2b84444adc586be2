"""MDX compiled to JavaScript: calls that create React elements, read as trees of elements and never executed.

Next.js sites with MDX send a page's text as such code in a string of their data (`mdxSource.compiledSource` of
next-mdx-remote): `mdx("p", null, "text", mdx("a", {href: "/x"}, "link"))` of MDX 1, `_jsx(_components.p, {children:
"text"})` of MDX 2 and 3. An element becomes a list of its tag and children (JsonML), as `rich_text` renders them.
"""

import re
from typing import Any

from newsextract.page.data.javascript import CONSTANTS, LiteralError, Parser
from newsextract.page.data.node_kinds import BLOCK_TAGS, INLINE_TAGS

#: Fewest characters of compiled code; elements that are tried in one string.
MIN_CODE, MAX_ELEMENTS = 80, 400
#: How code begins that a compiler wrote, and the call that creates an element.
BEGINNING = re.compile(r"""\s*(?:/\*|["']use strict["']|(?:const|let|var|function|return|import|export|async)\b)""")
CREATORS = frozenset("mdx jsx jsxs jsxDEV _jsx _jsxs _jsxDEV createElement".split())
CALL = re.compile(r"""(?<![\w$])(?:mdx|_?jsx(?:s|DEV)?|createElement)\(\s*(?=["'`$\w])""")
#: A function of a module called without the module as its object: `(0,e.jsx)(`.
INDIRECT = re.compile(r"\(0,\s*[\w$]+\.(jsx(?:s|DEV)?|createElement)\)\(")
#: Names of MDX for elements of HTML.
TAGS = {"inlineCode": "code"}


def is_compiled_jsx(text: str) -> bool:
    """Whether a string of a page's data is code that creates elements."""
    if len(text) < MIN_CODE or ("mdx(" not in text and "jsx" not in text and "createElement" not in text):
        return False
    return BEGINNING.match(text) is not None and (CALL.search(text) or INDIRECT.search(text)) is not None


def read_compiled_jsx(code: str) -> list[Any]:
    """The outermost elements that the code creates, in their order; those that can't be read are left out."""
    code = INDIRECT.sub(r" \1(", code)
    elements: list[Any] = []
    position = tokens = 0
    for _ in range(MAX_ELEMENTS):
        match = CALL.search(code, position)
        if match is None:
            break
        parser = _ElementParser(code, match.end(), {})
        parser.count = tokens  # the limit of one literal holds for all of them
        try:
            element = parser.created(0)
            position = parser.end
        except (LiteralError, RecursionError):
            element, position = None, match.end()
        tokens = parser.count
        if element:
            elements.append(element)
    return elements


class _ElementParser(Parser):
    """Reads calls that create elements as these elements; objects may have members of others (`...props`)."""

    has_spread = True

    def created(self, depth: int) -> list[Any] | None:
        """The element of a call whose bracket is read: tag and children; None where it has no text."""
        tag = self.tag()
        arguments = self.members(depth + 1, ")") if self.next() == "," else []
        properties = arguments[0] if arguments and isinstance(arguments[0], dict) else {}
        children = [*arguments[1:], properties.get("children")] if arguments else []
        flat = [one for child in children for one in (child if _is_group(child) else [child])]
        kept = [one for one in flat if isinstance(one, str | list) and one]
        return [tag, *kept] if kept else ["br", ""] if tag == "br" else None

    def tag(self) -> str:
        """The tag of the first argument: a string, `_components.p`, or "div" for any other component."""
        name = self.next()
        if self.kind == "string":
            name = name[1:-1]
        while self.peek() == ".":
            self.next()
            name = self.next()
        name = TAGS.get(name, name)
        return name if name in BLOCK_TAGS or name in INLINE_TAGS or name == "br" else "div"

    def named(self, name: str, depth: int) -> Any:
        called = name
        while self.peek() == "." and name not in CONSTANTS:
            self.next()
            called = self.next()
        if called in CREATORS and self.peek() == "(":
            self.next()
            return self.created(depth)
        return super().named(name, depth)


def _is_group(child: Any) -> bool:
    """Whether children of an element are a list of them, not one element."""
    return isinstance(child, list) and not (len(child) > 1 and isinstance(child[0], str) and _is_tag(child[0]))


def _is_tag(name: str) -> bool:
    return name in BLOCK_TAGS or name in INLINE_TAGS or name == "br"
