const make = (name, text, attributes = {}) => Object.assign(document.createElement(name), {textContent: text}, attributes);

const answer = await fetch("/app/data" + location.pathname + ".json");
const data = await answer.json();
const root = document.getElementById("root");
if (data.stories) {
    document.title = data.title;
    root.append(make("h1", data.title));
    for (const story of data.stories) {
        const item = make("p", "");
        item.append(make("a", story.headline, {href: story.path}));
        root.append(item);
    }
} else {
    document.title = data.headline;
    const declared = {"@context": "https://schema.org", "@type": "NewsArticle", headline: data.headline,
        datePublished: data.published, author: data.authors.map(name => ({"@type": "Person", name}))};
    document.head.append(make("script", JSON.stringify(declared), {type: "application/ld+json"}));
    const article = make("article", "");
    const byline = make("p", "By " + data.authors.join(" and ") + " ", {className: "byline"});
    byline.append(make("time", data.published, {dateTime: data.published}));
    article.append(make("h1", data.headline), byline, ...data.blocks.map(text => make("p", text)));
    root.append(article);
}
