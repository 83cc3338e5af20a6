// Elements of the page.

/** An element with attributes, listeners (`onclick` …) and children, which may be texts. */
export function h(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null));
  return element;
}

export const byId = (id) => document.getElementById(id);

/** A table: `head` is a row of names, in each of `rows` the first cell names the row. */
export function table(caption, head, rows) {
  const cell = (value, index) =>
    index === 0 ? h("th", { scope: "row" }, value) : h("td", {}, value);
  return h(
    "table",
    {},
    h("caption", { class: "hidden" }, caption),
    h("thead", {}, h("tr", {}, head.map((name) => h("th", { scope: "col" }, name)))),
    h("tbody", {}, rows.map((row) => h("tr", {}, row.map(cell)))),
  );
}

/** Copies the text of a field, where the browser lets it; else it is at least selected. `button` says that it did. */
export async function copy(field, button) {
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
  } catch {
    document.execCommand("copy");
  }
  const was = button.textContent;
  button.textContent = "Copied";
  setTimeout(() => (button.textContent = was), 1500);
}

const colours = new Map();
/** True if the page is dark; its colours change with that. */
export const darkness = matchMedia("(prefers-color-scheme: dark)");
darkness.addEventListener("change", () => colours.clear());

/** Value of a colour of the page. */
export function colour(name) {
  if (!colours.has(name)) {
    const style = getComputedStyle(document.documentElement);
    colours.set(name, style.getPropertyValue(`--${name}`).trim());
  }
  return colours.get(name);
}
