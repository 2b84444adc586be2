"""Articles of made-up events, in the tests' own words."""

from datetime import UTC, datetime, timedelta

from newsextract import Article

BEGIN = datetime(2026, 3, 2, 8, tzinfo=UTC)
EVENTS = {
    "ferry": (
        "Ferry runs aground off Sorrel Point",
        "The ferry Marigold ran aground on rocks off Sorrel Point on Monday with 184 passengers aboard.",
        "Captain Ines Falk said the rudder of the Marigold had failed. Lifeboats from Port Anselm took everyone off.",
    ),
    "budget": (
        "Council of Varn passes budget with tax on bicycles",
        "The council of Varn passed a budget of 412 million crowns, among it a tax on bicycles of 30 crowns a year.",
        "Mayor Otto Brandt defended the bicycle tax; the Greens of Petra Novak announced a complaint in court.",
    ),
    "comet": (
        "Comet Halloran-Itoh visible with the naked eye",
        "Comet Halloran-Itoh can be seen with the naked eye until Friday, the Kestrel Observatory announced.",
        "Its tail is 20 degrees long. Astronomer Mika Itoh found it in 2019 with a telescope of her own.",
    ),
}
SITES = ("courier.example", "gazette.example", "herald.example")


def report(event: str, site: int, hours: float = 0.0, **values: object) -> Article:
    """The report of a site on an event: the same facts, told in another order and with a sentence of its own."""
    headline, *sentences = EVENTS[event]
    order = sentences if site % 2 else sentences[::-1]
    own = ("Readers sent us pictures.", "More in the evening.", "We asked those who were there.")[site % 3]
    given: dict[str, object] = {
        "url": f"https://{SITES[site]}/{event}-{hours:g}",
        "site": SITES[site],
        "headline": headline if site else f"{headline}: what we know",
        "article_body": "\n".join((*order, own)),
        "language": "en",
        "date_published": BEGIN + timedelta(hours=hours),
        "first_seen_at": BEGIN + timedelta(hours=hours + 1),
    }
    return Article(**{**given, **values})  # type: ignore[arg-type]


def all_reports() -> list[Article]:
    return [report(event, site, 5 * site + at) for at, event in enumerate(EVENTS) for site in range(3)]
