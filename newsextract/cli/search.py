"""`newsextract search` and `newsextract topics`: what was published about a topic, where, and how much."""

import csv
import json
import sys
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from typer.core import TyperCommand

from newsextract.cli.options import Database, Duplicates, Index, Languages, Sites, TopicsFile, day_option, flag, option
from newsextract.cli.terminal import print_table, results
from newsextract.days import today
from newsextract.index.topics import HEADLINES
from newsextract.settings import NEWSEXTRACT_DATABASE_URL
from newsextract.text import counted, printable, say

if TYPE_CHECKING:
    from newsextract.index.search import Count
    from newsextract.stories.read import StoredStory

#: Width of the longest bar.
BAR = 40
Format = Annotated[
    Literal["table", "json", "jsonl", "csv"] | None,
    option("NAME", "One of table, json, jsonl, csv; a table in a terminal, else jsonl.", "--format"),
]


class SearchCommand(TyperCommand):
    """`newsextract search`: a query may begin with a minus, because all options but -h begin with two."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        queries = [] if "--" in args else [word for word in args if word[:1] == "-" != word[1:2] and word != "-h"]
        if queries:
            args = [*(word for word in args if word not in queries), "--", *queries]
        return super().parse_args(ctx, args)


def search(
    query: Annotated[str, typer.Argument(metavar="QUERY", help='Words, "phrases", prefix*, AND, OR, NOT, ( ).')],
    database: Database = NEWSEXTRACT_DATABASE_URL,
    sites: Sites = None,
    languages: Languages = None,
    since: Annotated[datetime | None, day_option("Published on this day or later.")] = None,
    until: Annotated[datetime | None, day_option("Published on this day or earlier.")] = None,
    limit: Annotated[int, option("N", "At most this many articles.", min=1)] = 20,
    by: Annotated[Literal["date", "relevance"], option("ORDER", "date (newest first) or relevance.")] = "date",
    count_by: Annotated[
        Literal["day", "week", "month", "site", "language"] | None,
        option("UNIT", "Print counts and shares by day, week, month, site or language."),
    ] = None,
    stories: Annotated[bool, flag("--stories", "Print the stories of the matching articles instead.")] = False,
    duplicates: Duplicates = False,
    index: Index = None,
    form: Format = None,
) -> None:
    """Find articles by their headline, subtitle, authors and text, in any language; case and accents are ignored."""
    from newsextract.health.chosen_sites import sites_named
    from newsextract.index.query import parse_query
    from newsextract.index.search import Filters, count_matches, match_ids, matches, open_current
    from newsextract.store.lookup import check_languages

    parsed = parse_query(query)
    if stories:
        from newsextract.cli.story_updates import bring_up_to_date

        bring_up_to_date(database, index)
    first, last = (day.date() if day else None for day in (since, until))
    with open_current(database, index) as (connection, store):
        store.read(check_languages, languages or ())
        filters = Filters(store.read(sites_named, sites or ()), languages or (), first, last, duplicates)
        for hint in parsed.hints:
            typer.echo(hint, err=True)
        if count_by is not None:
            counts = count_matches(connection, parsed, count_by, filters)
            if is_table(form):
                print_counts(count_by, counts)
                return
            rows = [
                {count_by: count.key, "articles": count.number, "total": count.total, "share": round(count.share, 6)}
                for count in counts
            ]
            print_records(rows, form)
            return
        if stories:
            from newsextract.stories.read import stories_with

            ids = match_ids(connection, parsed, filters, by, None)
            print_stories(store.read(stories_with, ids)[:limit], form)
            return
        found = list(matches(connection, parsed, match_ids(connection, parsed, filters, by, limit)))
    if not is_table(form):
        names = ("url", "headline", "site", "day", "language", "authors", "snippet")
        print_records([{name: getattr(match, name) for name in names} for match in found], form)
        return
    from rich.table import Table
    from rich.text import Text

    table = Table("Day", "Site", "Article", box=None, pad_edge=False)
    for match in found:
        snippet = Text(printable(match.snippet))
        for start, end in match.spans:
            snippet.stylize("bold reverse", start, end)
        lines = (Text(printable(match.headline or ""), "bold"), snippet, Text(printable(match.url), "dim"))
        table.add_row(match.day or "", printable(match.site), Text("\n").join(lines))
    results().print(table if found else "no article matches")


def print_stories(found: "Sequence[tuple[StoredStory, int]]", form: str | None) -> None:
    """Prints stories, each with how many of its articles match."""
    if not is_table(form):
        print_records([{"matching": number, **story.to_dict()} for story, number in found], form)
        return
    if not found:
        say("no article matches")
        return
    rows = [
        (
            story.id,
            number,
            story.articles + story.copies,
            story.sites,
            f"{story.first_at:%Y-%m-%d %H:%M}",
            printable(story.site),
            printable(story.headline or story.url),
        )
        for story, number in found
    ]
    columns = ("story", "matching", "articles", "sites", "first report", "by", "headline")
    print_table(columns, rows, columns[:4], 140)


def topics(
    file: TopicsFile = None, database: Database = NEWSEXTRACT_DATABASE_URL, index: Index = None, form: Format = None
) -> None:
    """Print how much is published about each topic of topics.toml: today, in seven days, and usually.

    A topic with far more articles than usual is marked as a burst; `newsextract watch` makes it an alert.
    """
    from newsextract.index import TOPICS_FILE
    from newsextract.index.search import open_current
    from newsextract.index.topics import burst_ids, read_topics, topic_status
    from newsextract.stories.read import stories_with

    chosen = read_topics(file or TOPICS_FILE)
    with open_current(database, index) as (connection, store):
        statuses = [topic_status(connection, topic, today()) for topic in chosen]
        if any(status.burst for status in statuses):
            from newsextract.cli.story_updates import bring_up_to_date

            bring_up_to_date(database, index)
        behind = {
            status.topic.name: store.read(stories_with, burst_ids(connection, status))[:HEADLINES]
            for status in statuses
        }
    if not is_table(form):
        records = [
            {
                "topic": status.topic.name,
                "today": status.today,
                "seven_days": status.week,
                "usual": None if status.usual is None else round(status.usual, 1),
                "burst": status.burst and status.burst.sentence,
                "stories": [
                    {"id": story.id, "articles": number, "sites": story.sites, "headline": story.headline}
                    for story, number in behind[status.topic.name]
                ],
                "newest": [match.url for match in status.newest],
            }
            for status in statuses
        ]
        print_records(records, form)
        return
    cells = []
    for status in statuses:
        usual = "-" if status.usual is None else f"{status.usual:.1f}"
        cells.append((status.topic.name, status.today, status.week, usual, "burst" if status.burst else ""))
    print_table(("topic", "today", "7 days", "usual", ""), cells, ("today", "7 days", "usual"), 120)
    for status in statuses:
        say(f"\n{status.topic.name}{f': {status.burst.sentence}' if status.burst else ''}")
        for story, number in behind[status.topic.name]:
            of = f"{counted(number, 'article')} of {counted(story.sites, 'site')}"
            say(f"  story {story.id}: {of}  {printable(story.headline or story.url)}")
        for match in status.newest:
            say(f"  {match.day} {match.site}  {match.headline or match.url}")


def is_table(form: str | None) -> bool:
    """Whether to print a table: if asked for, or in a terminal."""
    return form == "table" or (form is None and sys.stdout.isatty())


def print_records(records: Sequence[Mapping[str, Any]], form: str | None) -> None:
    if form == "json":
        say(json.dumps(records, ensure_ascii=False, indent=1))
    elif form == "csv" and records:
        from newsextract.export.formats import without_formula

        writer = csv.DictWriter(sys.stdout, [*records[0]], lineterminator="\r\n")
        writer.writeheader()
        writer.writerows({name: without_formula(cell) for name, cell in record.items()} for record in records)
    elif form != "csv":
        for record in records:
            say(json.dumps(record, ensure_ascii=False))


def print_counts(unit: str, counts: "Sequence[Count]") -> None:
    """Prints counts with shares in per cent and as bars."""
    if not counts:
        say("no article matches")
        return
    top, rows = max(count.share for count in counts) or 1, []
    for count in counts:
        numbers = (f"{count.number:,}", f"{count.total:,}", f"{count.share:.2%}")
        rows.append((count.key or "unknown", *numbers, "█" * round(BAR * count.share / top)))
    print_table((unit, "articles", "of", "share", ""), rows, ("articles", "of", "share"), 120)
