"""`newsextract stories`: what many sites report on, who was first, and how it spread."""

from dataclasses import asdict
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from newsextract.cli.options import Database, Index, Languages, Sites, day_option, flag, open_store, option
from newsextract.cli.search import Format, is_table, print_records
from newsextract.cli.story_updates import bring_up_to_date
from newsextract.cli.terminal import print_table
from newsextract.days import beginning_of, today
from newsextract.errors import NewsextractError, WrongCall
from newsextract.settings import NEWSEXTRACT_DATABASE_URL
from newsextract.text import counted, printable, say, some_of

if TYPE_CHECKING:
    from newsextract.stories.read import StoredStory

#: The words that may come first, and how many words follow; None: any number.
ACTIONS = {"show": 1, "of": 1, "related": 1, "why": 2, "keep": 1, "merge": None, "split": None}
#: What actions with a fixed number of words need.
NEEDED = {1: "the id of a story or a URL", 2: "the URLs of two articles", None: "ids or URLs"}


def stories(
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="[show|of|related|why|merge|split|keep] [ID|URL…]", help="One story, or a change."),
    ] = None,
    database: Database = NEWSEXTRACT_DATABASE_URL,
    since: Annotated[datetime | None, day_option("With an article of this day or later. [default: today]")] = None,
    until: Annotated[datetime | None, day_option("Begun on this day or earlier.")] = None,
    sites: Sites = None,
    languages: Languages = None,
    min_sites: Annotated[int, option("N", "Reported by at least this many sites.", min=1)] = 1,
    by: Annotated[Literal["sites", "articles", "growth", "date"], option("ORDER", "What comes first.")] = "sites",
    limit: Annotated[int, option("N", "At most this many stories.", min=1)] = 20,
    changes: Annotated[int | None, option("N", "The stories that changed after this number, in order.", min=0)] = None,
    rebuild: Annotated[bool, flag("--rebuild", "Make all stories anew; those alike keep their ids.")] = False,
    evaluate: Annotated[Path | None, option("GOLD", "Measure on a file of articles labelled with `story`.")] = None,
    index: Index = None,
    form: Format = None,
) -> None:
    """Bring the stories up to date and list those of today: the articles of one event, across sites.

    `show ID` and `of URL` show one, `related ID` those in other languages that may tell the same, `why URL URL` what
    puts two articles together. `merge ID ID`, `split URL…` and `keep ID` decide by hand, for good.
    """
    action, *names = words or [""]
    if action and action not in ACTIONS:
        raise WrongCall(f"{action!r} isn't one of {', '.join(ACTIONS)}; without a word, stories are listed")
    if action and (len(names) != ACTIONS[action] if ACTIONS[action] else not names):
        raise WrongCall(f"stories {action} needs {NEEDED[ACTIONS[action]]}")
    if evaluate is not None:
        _evaluate(evaluate, form)
        return
    bring_up_to_date(database, index, rebuild=rebuild)
    if action in ("merge", "split", "keep"):
        _decide(database, action, names)
    elif action == "why":
        print_comparison(database, (names[0], names[1]), index, form)
    elif action == "related":
        _related(database, names[0], form)
    elif action:
        _show(database, names[0], index, form)
    else:
        with open_store(database) as store:
            from newsextract.stories.read import list_stories, story_changes

            if changes is not None:
                print_records([story.to_dict() for story in store.read(_listed, story_changes, changes)], form)
                return
            found = store.read(
                list_stories,
                since=since or (None if until else beginning_of(today())),
                until=until and until + timedelta(days=1),
                sites=sites or (),
                languages=languages or (),
                min_sites=min_sites,
                by=by,
                limit=limit,
            )
        _print_list(found, form)


def _listed(connection: object, read: object, since: int) -> "list[StoredStory]":
    return [*read(connection, since)]  # type: ignore[operator]


def _decide(database: str, action: str, names: list[str]) -> None:
    from newsextract.stories.by_hand import find_story, keep, merge, split

    with open_store(database, read_only=False) as store:
        if action == "split":
            say(f"story {store.write(split, names)} has these articles now", err=True)
            return
        ids = [store.read(find_story, name) for name in names]
        if action == "merge":
            say(f"story {store.write(merge, ids)} has all articles now", err=True)
        else:
            store.write(keep, ids[0])
            say(f"story {ids[0]} is kept as it is", err=True)


def _print_list(found: "list[StoredStory]", form: str | None) -> None:
    if not is_table(form):
        print_records([story.to_dict() for story in found], form)
        return
    if not found:
        say("no story had an article then")
        return
    rows = [
        (
            story.id,
            story.sites,
            story.articles,
            story.copies,
            f"{story.first_at:%m-%d %H:%M}",
            printable(story.site),
            printable(story.headline or story.url),
        )
        for story in found
    ]
    columns = ("story", "sites", "articles", "copies", "first report", "by", "headline")
    print_table(columns, rows, ("story", "sites", "articles", "copies"), 140)


def _show(database: str, name: str, index: Path | None, form: str | None) -> None:
    from newsextract.stories.by_hand import find_story
    from newsextract.stories.compare import central_article
    from newsextract.stories.read import articles_of, read_story, silent_sites
    from newsextract.stories.update import load_statistics

    with open_store(database) as store:
        number = store.read(find_story, name)
        story, members = store.read(read_story, number), store.read(articles_of, number)
        if not members:
            raise NewsextractError(f"story {number} has no articles any more")
        silent = store.read(silent_sites, story)
        central = central_article(store, members, load_statistics(store, database, index))
    own = [member for member in members if member.copy_of is None] or members
    first, stored = own[0], min(own, key=lambda member: (member.stored_at, member.id))
    if not is_table(form):
        record = {**story.to_dict(), "headline": central.headline, "central": central.url}
        record["stored_first"] = {"url": stored.url, "site": stored.site, "at": stored.stored_at.isoformat()}
        record["members"] = [
            {"url": m.url, "site": m.site, "headline": m.headline, "at": f"{m.at:%Y-%m-%dT%H:%M:%S}Z", "rank": m.rank}
            | {"copy_of": m.copy_of}
            for m in members
        ]
        print_records([{**record, "silent_sites": silent}], form)
        return
    say(f"{story.id}: {printable(central.headline or central.url)}", bold=True)
    say(f"first report  {first.at:%Y-%m-%d %H:%M} UTC {printable(first.site)}")
    if stored.id != first.id:
        say(f"stored first  {stored.stored_at:%Y-%m-%d %H:%M} UTC {printable(stored.site)}")
    kinds = f"{counted(story.articles, 'article')}, {story.copies} copies, {counted(story.sites, 'site')}"
    say(f"    in total  {kinds}{', kept' if story.kept else ''}{', closed' if story.closed else ''}")
    sites = dict.fromkeys(printable(member.site) for member in members)
    say(f"   one after  {some_of([*sites])}")
    copies = [member for member in members if member.copy_of is not None]
    for member in own:
        say(f"{member.at:%m-%d %H:%M}  {printable(member.site)}  {printable(member.headline or '')}  {member.url}")
        for copy in (each for each in copies if each.copy_of == member.url):
            say(f"{copy.at:%m-%d %H:%M}    copy: {printable(copy.site)}  {copy.url}")
    say(f"did not report: {some_of([*map(printable, silent)]) or 'none'}")


def print_comparison(database: str, urls: tuple[str, str], index: Path | None, form: str | None) -> None:
    """Prints what two articles have in common: similarity and the terms that make up most of it."""
    from newsextract.stories.compare import why_together
    from newsextract.stories.update import load_statistics

    with open_store(database) as store:
        found = why_together(store, urls, load_statistics(store, database, index))
    if not is_table(form):
        print_records([asdict(found)], form)
        return
    needed = f"stories are one from a mean of {found.threshold:g}"
    say(f"similarity {found.similarity:.3f} ({needed}), {found.days:.1f} days apart", bold=True)
    if not found.same_language:
        say("they are in two languages, which are never in one story")
    if found.is_template:
        say("they share common words, but hardly any rare ones: texts of one template, which count as less similar")
    rows = [
        (term.word, f"{term.share:.1%}", "yes" if term.in_headline else "", "yes" if term.is_fact else "")
        for term in found.terms
    ]
    print_table(("term", "share", "in headlines", "number or name"), rows, ("share",), 100)


def _related(database: str, name: str, form: str | None) -> None:
    from newsextract.stories.by_hand import find_story
    from newsextract.stories.read import read_story
    from newsextract.stories.related import related_stories

    with open_store(database) as store:
        found = related_stories(store, store.read(read_story, store.read(find_story, name)))
    if not is_table(form):
        print_records([asdict(each) for each in found], form)
        return
    rows = [
        (each.story, each.language, f"{each.similarity:.2f}", ", ".join(each.facts), printable(each.headline or ""))
        for each in found
    ]
    if not rows:
        say("no story in another language has the same names and numbers")
        return
    print_table(("story", "language", "similarity", "names and numbers", "headline"), rows, ("story",), 140)


def _evaluate(path: Path, form: str | None) -> None:
    from newsextract.stories.gold import evaluate, read_gold

    scores = evaluate(read_gold(path))
    rows = [
        (
            f"{threshold:.3f}",
            *(f"{value:.3f}" for value in (s.bcubed, s.precision, s.recall, s.pairwise, s.first_reports)),
        )
        for threshold, s in scores.items()
    ]
    columns = ("threshold", "BCubed", "precision", "recall", "pairwise", "first reports")
    if is_table(form):
        print_table(columns, rows, columns)
        best = max(scores, key=lambda threshold: scores[threshold].bcubed)
        say(f"best threshold: {best:.3f}")
    else:
        print_records([dict(zip(columns, map(float, row), strict=True)) for row in rows], form)
