// Helpers that make and find elements of the page.

/** Makes an element with attributes, listeners (`onclick` …) and children, which are elements, texts or null. */
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

/** Makes a table. `head` has the names of the columns; the first cell of each row is the row's header. */
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

/**
 * Copies the text of a field to the clipboard, by an older method if the browser forbids the newer one. The button's label
 * becomes `Copied` for a while.
 */
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
/** The media query for a dark page, on which the colours depend. */
export const darkness = matchMedia("(prefers-color-scheme: dark)");
darkness.addEventListener("change", () => colours.clear());

/** Returns the value of the style sheet's variable `--name`. */
export function colour(name) {
  if (!colours.has(name)) {
    const style = getComputedStyle(document.documentElement);
    colours.set(name, style.getPropertyValue(`--${name}`).trim());
  }
  return colours.get(name);
}
