"""The parts of a page that are other articles: further stories below the page's own, each with headline and text."""

from itertools import pairwise, takewhile

from newsextract.page import Page
from newsextract.parts.article_signs import ArticleSigns
from newsextract.parts.frame import LESSER_HEADINGS, ArticleFrame
from newsextract.text import DIGITS, MIN_TEXT, SHORT_LINE

#: Minimum characters of another article's text.
MIN_PART = 80
#: Another article has at most this share of the page's text, and so many times the text above it.
MAX_PART = 0.75
MAX_TIMES = 3
#: Headings examined whether they begin another article.
MAX_HEADED = 100
#: Blocks of another article before its headline, at most.
MAX_KICKERS = 2
#: So many elements with doubtful signs of another article are entries of one.
MANY = 3
#: Paragraphs of a further story.
MIN_PARAGRAPHS = 2


def other_articles(page: Page) -> list[int]:
    """The elements that are other articles, as numbers of `Blocks.nodes` in document order. A view."""
    return _OtherArticles(page).found()


class _OtherArticles:
    """Looks for the other articles of a page; numbers are those of `Blocks.nodes`."""

    def __init__(self, page: Page) -> None:
        self._blocks, self._frame, self._signs = page.blocks, page.view(ArticleFrame), ArticleSigns(page)

    def found(self) -> list[int]:
        """The elements that declare themselves another article below the page's own, in document order.

        Each begins with a headline, has a text of its own, and stands below text of the page's article; a single line
        of it is enough if both headlines are marked up alike. Its headline is an `h1` or a link, or it has a URL, a
        byline or a date, or is an `article` in or beside that of the page's headline; it isn't a date itself. MANY
        elements in the same markup are entries of live blogs or lists of products, unless that is the markup of the
        page's own article, or its headline's, or they are whole stories apart from its text. Below linked `h3` only
        such stories count, however many they are.
        """
        blocks, (prose, _) = self._blocks, self._frame.before
        if prose[-1] < MIN_TEXT + MIN_PART or (own := self._frame.headline) is None:
            return []
        if not (declared := self._frame.declared_words(own)):
            return []
        above, bounds = {*self._frame.path(own)}, self._frame.bounds
        begin = prose[bounds[2 * own + 1]] + MIN_TEXT
        alike = self._marked_alike(own)
        found: dict[tuple[str, str], list[tuple[int, bool | None, bool]]] = {}
        for heading in [number for number in self._frame.headings if number > own][:MAX_HEADED]:
            if prose[bounds[2 * heading]] < begin and heading not in alike:
                continue
            if (part := self._headed_part(heading, above, is_whole=heading in alike)) is None:
                continue
            is_sure = self._declares_article(heading, part, above)
            most = declared - 1 if heading in alike else declared // 2
            is_linked = blocks.element_tags[heading] in LESSER_HEADINGS and self._signs.is_linked(heading)
            is_other = (is_sure is not None or is_linked) and self._frame.declared_words(heading) <= most
            if is_other and not self._signs.is_day(heading):
                found.setdefault(self._form(part), []).append((part, is_sure, heading in alike))
        own_forms = {self._form(number) for number in above if found and blocks.element_classes[number]}
        parts: set[int] = set()
        for form, alike_parts in found.items():
            numbers, are_few = [part for part, *_ in alike_parts], len(alike_parts) < MANY
            has_unsure = not are_few or any(is_sure is None for _, is_sure, _ in alike_parts)
            are_stories = has_unsure and self._are_stories(numbers, own)
            parts |= {
                part
                for part, is_sure, is_alike in alike_parts
                if is_alike
                or (is_sure and form in own_forms)
                or (are_few and is_sure is not None and self._is_lesser(part, own))
                or (are_stories and (not are_few or is_sure is None))
            }
        return [number for number in sorted(parts) if parts.isdisjoint([*self._frame.path(number)][1:])]

    def _form(self, number: int) -> tuple[str, str]:
        """An element's tag and class, without digits."""
        return self._blocks.element_tags[number], DIGITS.sub("", self._blocks.element_classes[number] or "")

    def _are_stories(self, parts: list[int], own: int) -> bool:
        """Whether parts are further stories below the page's own, and no sections or entries of it.

        They stand one behind the other, apart from its text, each with a text of several paragraphs and a headline that
        is an `h1` or links to a page of the site.
        """
        blocks, bounds = self._blocks, self._frame.bounds
        if len({blocks.parent_list[part] for part in parts}) > 1:
            return False
        prose = self._frame.before[0]
        between = (prose[bounds[2 * after]] - prose[bounds[2 * part + 1]] for part, after in pairwise(parts))
        if any(between) or not all(map(self._has_story, parts)):
            return False
        around = blocks.parent_list[parts[0]]
        begin = max(bounds[2 * own + 1], bounds[2 * around])
        return not any(  # a paragraph of the article's beside the stories
            around in (blocks.element_list[row], blocks.parent_list[blocks.element_list[row]])
            for row in range(begin, bounds[2 * parts[0]])
            if self._frame.widths.item(row) >= SHORT_LINE
        )

    def _has_story(self, part: int) -> bool:
        """Whether a part has several paragraphs and a headline that is an `h1` or links to a page of the site, or names
        such a page itself.
        """
        blocks = self._blocks
        first, last = blocks.spans[part].tolist()
        if int((self._frame.widths[first:last] >= SHORT_LINE).sum()) < MIN_PARAGRAPHS:
            return False
        heading = next((number for number in self._frame.headings if number >= part), None)
        return heading is not None and (
            blocks.element_tags[heading] == "h1"
            or (self._signs.is_linked(heading) and self._signs.links_to_site(heading))
            or any(
                self._signs.names_article(number, of_site=True)
                for number in takewhile(lambda number: number >= part, self._frame.path(heading))
            )
        )

    def _is_lesser(self, part: int, own: int) -> bool:
        """Whether a part hasn't much more text than the page's own article above it."""
        prose, bounds = self._frame.before[0], self._frame.bounds
        return self._frame.size(part) <= MAX_TIMES * (prose[bounds[2 * part]] - prose[bounds[2 * own + 1]])

    def _marked_alike(self, own: int) -> set[int]:
        """The headings with the tag and the classes of the headline, and in an element with the classes of its own.

        Empty if the headline isn't most of a declared title: the page is a list then.
        """
        words = self._frame.words(own)
        if not any(0 < len(title) <= 2 * len(title & words) for title in self._frame.declared):
            return set()
        classes, parents, tags = self._blocks.element_classes, self._blocks.parent_list, self._blocks.element_tags
        markup = tags[own], classes[own], classes[parents[own]]
        if not any(markup[1:]):
            return set()
        return {
            number
            for number in self._frame.headings
            if (tags[number], classes[number], classes[parents[number]]) == markup
        }

    def _headed_part(self, heading: int, above: set[int], *, is_whole: bool) -> int | None:
        """The smallest element that begins with a heading and has text behind it, with what holds nothing else; or the
        largest one (`is_whole`).
        """
        part, found, bounds, parents = heading, None, self._frame.bounds, self._blocks.parent_list
        prose, written = self._frame.before
        first, end = bounds[2 * heading], bounds[2 * heading + 1]
        while (part := parents[part]) not in above:
            begin, last = bounds[2 * part], bounds[2 * part + 1]
            if begin < first - MAX_KICKERS or prose[begin] < prose[first]:
                break
            if written[last] - written[begin] > MAX_PART * written[-1]:
                break
            if found is not None and last > bounds[2 * found + 1] and not is_whole:
                break
            if written[last] - written[end] >= MIN_PART:
                found = part
        return found

    def _declares_article(self, heading: int, part: int, above: set[int]) -> bool | None:
        """Whether a part declares itself another article, surely or perhaps (False); None if it doesn't."""
        tags, parents = self._blocks.element_tags, self._blocks.parent_list
        if tags[heading] == "h1":
            return True if self._frame.text(heading) != self._frame.text(self._frame.headline) else None
        number, is_article = heading, False
        while number >= part:
            if self._signs.names_article(number):
                return True
            is_article |= tags[number] == "article"
            number = parents[number]
        if is_article:
            is_within = any(around in above and tags[around] == "article" for around in self._frame.path(number))
            is_beside = not is_within and any(tags[number] == "article" for number in above)
            if is_beside or self._signs.is_signed(part) or self._signs.is_linked(heading):
                return is_beside
            is_timed = self._frame.text(heading)[:1].isdigit()  # an entry of a live blog
            return False if self._signs.is_title(heading) and not is_timed else None
        if tags[heading] == "h2" and self._signs.is_linked(heading):
            return False
        if any(tags[around] == "footer" for around in self._frame.path(heading)):
            return None
        return False if self._signs.is_title(heading) and self._signs.is_signed(part) else None
