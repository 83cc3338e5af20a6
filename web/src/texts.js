// The scenarios as texts: written by the controls or by the user, with the parser's mistakes.

import { copy, h } from "./dom.js";

/** A pause in writing after which a text is tried [ms]. */
const PAUSE_MS = 300;

/** Makes a text for each run below `root`. `written` and `dropped` are told what the user does. */
export function makeTexts(root, { written, dropped }) {
  const sides = {
    a: makeText(root, "a", "A", { written, dropped }),
    b: makeText(root, "b", "B", { written, dropped }),
  };
  return {
    /** Shows a text; `isOwn` is one that the user has written. */
    show: (side, text, isOwn) => sides[side].show(text, isOwn),
    /** The text has been run. */
    ran: (side, document) => sides[side].ran(document),
    mistaken: (side, list) => sides[side].mistaken(list),
    failed: (side, sentence) => sides[side].failed(sentence),
    /** What is wrong with a side in a sentence, or null. */
    trouble: (side) => sides[side].trouble(),
  };
}

function makeText(root, side, name, { written, dropped }) {
  const id = `text-${side}`;
  const area = h("textarea", { id, rows: 22, spellcheck: "false", autocapitalize: "off", autocomplete: "off", wrap: "off" });
  const mistakes = h("div", { class: "mistakes", id: `mistakes-${side}`, role: "status" });
  const back = h("button", { type: "button", hidden: true, onclick: () => dropped(side) }, "Back to the controls");
  const hash = h("p", { class: "hash muted" });
  const file = `run-${side}.toml`;
  const download = () => {
    const url = URL.createObjectURL(new Blob([area.value], { type: "text/plain" }));
    h("a", { href: url, download: file }).click();
    setTimeout(() => URL.revokeObjectURL(url), 1000);
  };
  root.append(
    h(
      "div",
      { class: "text" },
      h("label", { for: id }, h("b", {}, `Run ${name}`)),
      area,
      h(
        "div",
        { class: "tools" },
        h("button", { type: "button", onclick: ({ target }) => copy(area, target), "aria-label": `Copy the scenario of run ${name}` }, "Copy"),
        h("button", { type: "button", onclick: download, "aria-label": `Download the scenario of run ${name}` }, "Download"),
        back,
      ),
      mistakes,
      hash,
    ),
  );
  let wrong = null;
  let pause = null;
  area.addEventListener("input", () => {
    clearTimeout(pause);
    pause = setTimeout(() => written(side, area.value), PAUSE_MS);
  });

  function say(lines, sentence) {
    wrong = sentence;
    mistakes.replaceChildren(...(lines.length ? [h("ul", {}, lines.map((line) => h("li", {}, line)))] : []));
    if (lines.length) area.setAttribute("aria-describedby", mistakes.id);
    else area.removeAttribute("aria-describedby");
    area.setAttribute("aria-invalid", String(lines.length > 0));
    if (lines.length) hash.replaceChildren();
  }

  return {
    show(text, isOwn) {
      back.hidden = !isOwn;
      if (area.value !== text) area.value = text;
    },
    ran(document) {
      say([], null);
      hash.replaceChildren(
        h("code", {}, `airfair run ${file}`),
        " prints record hash ",
        h("code", {}, document.record_hash),
      );
    },
    mistaken(list) {
      const first = list.length === 1 ? list[0] : `${list[0]} (and ${list.length - 1} more, below its text)`;
      say(list, first);
    },
    failed: (sentence) => say([sentence], sentence),
    trouble: () => wrong,
  };
}
