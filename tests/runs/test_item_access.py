"""Pages and articles between the pipelines of other projects: read and set like dictionaries and by ItemAdapter."""

from dataclasses import dataclass, replace

import attrs
import pytest
from itemadapter import ItemAdapter
from pydantic import BaseModel

from newsextract.crawl.page_items import ItemMemory, page_of_item
from newsextract.items import Article


@dataclass
class Story:
    url: str
    html: str
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FrozenStory:
    url: str
    html: str
    title: str


@attrs.frozen
class AttrsStory:
    url: str
    html: str
    title: str = attrs.field(validator=attrs.validators.instance_of(str))


class ModelStory(BaseModel):
    url: str
    html: str
    title: str


def article_with_extra():
    article = Article("https://kurier.example/a", headline="Pier")
    article.extra = {"title": "Old pier"}
    return article


FIELDS = {"url": "https://kurier.example/a", "html": "<p>The pier</p>", "title": "Old pier"}


@pytest.mark.parametrize(
    "item",
    [page_of_item(FIELDS), page_of_item(Story(**FIELDS)), article_with_extra()],
    ids=["dict", "class", "article"],
)
@pytest.mark.parametrize("access", [lambda item: item, ItemAdapter], ids=["dict", "adapter"])
def test_fields_are_read_and_set(item, access):
    fields = access(item)
    assert fields["url"] == FIELDS["url"] and fields["title"] == fields.get("title") == "Old pier"
    fields["words"] = len(fields["title"].split())
    assert "words" in item and item["words"] == ItemAdapter(item)["words"] == item.extra["words"] == 2
    assert {"url", "title", "words"} <= dict(fields.items()).keys() == {*fields}
    assert fields.get("lacks", 3) == 3 and "lacks" not in fields
    with pytest.raises(KeyError):
        fields["lacks"]
    fields["url"] = "https://kurier.example/b"
    assert item.url == fields["url"]
    fields["url"] = FIELDS["url"]
    del fields["words"]
    assert "words" not in item and not hasattr(item, "words")


def test_other_items_with_the_url_of_a_page_stay_what_they_are_and_the_page_is_found_again():
    url, memory = "https://example.org/a", ItemMemory()
    page, price = page_of_item({"url": url, "html": "<p>text", "rank": 5}), {"url": url, "price": 3}
    memory.handed_on(page, page)
    memory.keep_other(price)
    marked = {**price, "mark": 1}
    assert memory.restored(price) is price and memory.restored(marked) is marked
    assert memory.restored({**page, "mark": 2}) is page and page["mark"] == 2 and "price" not in page
    memory.forget({**marked, "more": 1})
    assert memory.restored({"url": url, "rank": 5}) is page
    memory.forget(page)
    assert memory.restored(other := {"url": url, "rank": 5}) is other


def test_what_has_left_the_pipelines_is_forgotten_also_under_the_url_of_the_stored_article():
    page, memory = page_of_item(FIELDS), ItemMemory()
    url = "https://kurier.example/pier"
    memory.handed_on(page, page)
    memory.handed_on(page, Article(page.url))
    stored = memory.handed_on(Article(page.url), Article(url))
    assert memory.restored({"url": url, "headline": "Pier"}) is stored
    memory.forget(stored)
    for left in ({"url": page.url}, {"url": url}):
        assert memory.restored(left) is left


@pytest.mark.parametrize(
    "kind, changed",
    [
        (Story, replace),
        (FrozenStory, replace),
        (AttrsStory, attrs.evolve),
        (ModelStory, lambda item, **new: item.model_copy(update=new)),
    ],
)
def test_item_of_a_projects_class_is_one_with_the_fields_of_the_article_and_may_be_replaced(kind, changed):
    item, memory = kind(**FIELDS), ItemMemory()
    page = page_of_item(item)
    assert memory.handed_on(item, page) is item
    article = Article(page.url, headline="Pier", article_body="The pier")
    article.extra = page.extra
    handed = memory.handed_on(item, article)
    fields = ItemAdapter(handed)
    assert isinstance(handed, kind) and type(handed).__name__ == kind.__name__
    assert (handed.title, handed.html, fields["headline"]) == ("Old pier", FIELDS["html"], "Pier")
    assert fields.asdict()["article_body"] == handed.article_body == "The pier"
    other = changed(handed, title="New pier")
    assert isinstance(other, kind) and memory.restored(other) is article
    assert (article["title"], article.headline, article.article_body) == ("New pier", "Pier", "The pier")
    assert memory.last(other) is article and memory.last(other) is other, "it has left the pipelines"
    late = memory.decided_late(article)
    assert isinstance(late, kind) and (late.url, late.title, late.headline) == (FIELDS["url"], "New pier", "Pier")
