"use strict";
// Without this script blocks still open and links still lead to them; it adds what needs more than a click.
const list = document.getElementById("blocks");
const blocks = list.querySelectorAll("details.block");
const rests = list.querySelectorAll("details.rest");
const tools = document.getElementById("tools");
tools.hidden = false;

function openTarget() {
  const target = document.getElementById(location.hash.slice(1));
  if (target && target.matches("details.block")) {
    list.dataset.only = "all";
    tools.querySelector("[value=all]").checked = true;
    const rest = target.closest("details.rest");
    if (rest) {
      rest.open = true;
    }
    target.open = true;
    target.scrollIntoView({block: "center"});
  }
}

tools.addEventListener("change", (event) => {
  list.dataset.only = event.target.value;
  for (const rest of rests) {
    rest.open = event.target.value !== "all";
  }
});
tools.addEventListener("click", (event) => {
  if (event.target.matches("button")) {
    const open = event.target.value === "open";
    for (const block of blocks) {
      block.open = open && block.checkVisibility();
    }
  }
});
addEventListener("hashchange", openTarget);
openTarget();
