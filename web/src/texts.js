// The scenarios of both runs as editable texts, with the messages of the parser.

import { copy, h } from "./dom.js";

/** The time without a keystroke after which a text is run [ms]. */
const PAUSE_MS = 300;

/**
 * Makes a text area for each run below `root`. `onEdit` is called with a side and its text after the user has changed it,
 * `onReset` with a side when its text shall follow the controls again.
 */
export function makeTexts(root, { onEdit, onReset }) {
  const sides = {
    a: makeText(root, "a", "A", { onEdit, onReset }),
    b: makeText(root, "b", "B", { onEdit, onReset }),
  };
  return {
    /** Shows a text; `isOwn` is true if the user has written it. */
    show: (side, text, isOwn) => sides[side].show(text, isOwn),
    /** Shows the record hash of the run of a text. */
    ran: (side, document) => sides[side].ran(document),
    /** Shows the messages of the parser. */
    mistaken: (side, list) => sides[side].mistaken(list),
    /** Shows the error of a run that failed. */
    failed: (side, sentence) => sides[side].failed(sentence),
    /** The error of a side as one sentence, or null. */
    trouble: (side) => sides[side].trouble(),
  };
}

function makeText(root, side, name, { onEdit, onReset }) {
  const id = `text-${side}`;
  const area = h("textarea", { id, rows: 22, spellcheck: "false", autocapitalize: "off", autocomplete: "off", wrap: "off" });
  const mistakes = h("div", { class: "mistakes", id: `mistakes-${side}`, role: "status" });
  const back = h("button", { type: "button", hidden: true, onclick: () => onReset(side) }, "Back to the controls");
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
    pause = setTimeout(() => onEdit(side, area.value), PAUSE_MS);
  });

  function showErrors(lines, sentence) {
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
      showErrors([], null);
      hash.replaceChildren(
        h("code", {}, `airfair run ${file}`),
        " prints record hash ",
        h("code", {}, document.record_hash),
      );
    },
    mistaken(list) {
      const first = list.length === 1 ? list[0] : `${list[0]} (and ${list.length - 1} more below the text)`;
      showErrors(list, first);
    },
    failed: (sentence) => showErrors([sentence], sentence),
    trouble: () => wrong,
  };
}
