new RTCPeerConnection({iceServers: []}).createDataChannel("a").onopen = () => {};
fetch("/data" + location.pathname).then(answer => answer.json()).then(story => {
    document.title = story.headline;
    document.getElementById("root").innerHTML =
        `<article><h1>${story.headline}</h1><time datetime="${story.date}">${story.date}</time>` +
        story.text.map(text => `<p>${text}</p>`).join("") + "</article>";
});
