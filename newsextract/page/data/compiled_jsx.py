"""The text of MDX pages in the data of Next.js sites: JavaScript that creates elements, read but never executed.

It is in a string of the data (`mdxSource.compiledSource` of next-mdx-remote): `mdx("p", null, "text", mdx("a", {href:
"/x"}, "link"))` of MDX 1, `_jsx(_components.p, {children: "text"})` of MDX 2 and 3. The strings of each call that
creates an element are its text, except in properties other than `children`.
"""

import re
from html import escape
from itertools import islice

from newsextract.page.data.javascript import MIN_LITERAL
from newsextract.page.data.rich_text import BLOCK_TAGS, INLINE_TAGS
from newsextract.page.json_text import MAX_VALUES, unescape

#: How compiled code begins.
BEGINNING = re.compile(r"""\s*(?:/\*|["']use strict["']|(?:const|let|var|function|return|import|export|async)\b)""")
#: A call that creates an element, a string (or one as the name of a property), the name of a property, a bracket.
PIECE = re.compile(
    r"""(?<![\w$])(?:mdx|_?jsx(?:s|DEV)?|createElement)\(\s*(?P<tag>["'`]?[\w$.]+["'`]?)
    |(?P<string>"(?:[^"\\]|\\.)*+"?|'(?:[^'\\]|\\.)*+'?|`(?:[^`\\]|\\.)*+`?)(?P<quoted_name>\s*+:)?
    |(?<![\w$])(?P<name>[\w$]++)\s*+:
    |(?P<bracket>[()\[\]{}])""",
    re.S | re.X,
)


def is_compiled_jsx(text: str) -> bool:
    """Whether a string of a page's data is code that creates elements."""
    if len(text) < MIN_LITERAL or ("mdx(" not in text and "jsx" not in text and "createElement" not in text):
        return False
    return BEGINNING.match(text) is not None


def jsx_to_html(code: str) -> str:
    """The HTML of the elements that the code creates, or ""."""
    out: list[str] = []
    above: list[tuple[str, bool]] = [("", False)]  # open brackets: tag of the element, whether its strings are text
    name = ""  # of the property whose value is next
    for piece in islice(PIECE.finditer(code), MAX_VALUES):
        is_text = above[-1][1] and name in ("", "children")
        if called := piece["tag"]:
            tag = called.strip("\"'`").rpartition(".")[2].replace("inlineCode", "code")
            tag = tag if tag in BLOCK_TAGS or tag in INLINE_TAGS else "div"
            is_text = is_text or not any(tag for tag, _ in above)
            out.append(f"<{tag}>" if is_text else "")
            above.append((tag, is_text))
        elif (bracket := piece["bracket"]) and bracket in "([{":
            above.append(("", is_text))
        elif bracket and len(above) > 1:
            tag, is_text = above.pop()
            out.append(f"</{tag}>" if tag not in ("", "br") and is_text else "")
        elif (string := piece["string"]) and is_text and not piece["quoted_name"]:
            out.append(escape(unescape(string), quote=False))
        name = piece["name"] or (unescape(piece["string"]) if piece["quoted_name"] else "")
    return "".join(out)
