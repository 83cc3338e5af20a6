// Builds a page as one file, in the style of the reports: the playground by `node build.js playground OUT.html ENGINE.wasm`, the
// live picture of an emulation by `node build.js cell OUT.html`.

import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const root = dirname(here);
const read = (...path) => readFileSync(join(...path), "utf8");

/** Returns the first capture group of `pattern` in `text`. Throws an error that names the pattern if it does not match. */
function capture(text, pattern) {
  const found = pattern.exec(text);
  if (!found) throw new Error(`build.js finds nothing like ${pattern}`);
  return found[1];
}

const version = capture(read(root, "Cargo.toml"), /\[workspace\.package\]\nversion = "([^"]+)"/);

/** Bundles a module of `src` and its imports into one script. */
async function bundle(entry, options) {
  const { outputFiles } = await build({
    entryPoints: [join(here, "src", entry)],
    bundle: true,
    minify: true,
    write: false,
    target: "es2022",
    charset: "utf8",
    legalComments: "none",
    define: { VERSION: JSON.stringify(version) },
    ...options,
  });
  return outputFiles[0].text.trim();
}

/** Returns the style sheet of the reports, with the colours filled in as jinja would fill them in. */
function reportStyle() {
  const palettes = {
    palette: capture(read(root, "python/airfair/palette.py"), /^PALETTE = \(([^)]*)\)/m),
    dark_palette: capture(read(root, "python/airfair/pages.py"), /^DARK_PALETTE = \(([^)]*)\)/m),
  };
  const loop = /\{% for colour in (\w+) %\}--series-\{\{ loop\.index \}\}: \{\{ colour \}\}; \{% endfor %\}/g;
  const style = read(root, "python/airfair/reproduction/templates/style.css.jinja").replace(loop, (_, name) =>
    palettes[name].match(/#\w{6}/g).map((colour, index) => `--series-${index + 1}: ${colour};`).join(" "),
  );
  if (style.includes("{%")) throw new Error("build.js does not know what jinja would make of style.css.jinja");
  return style;
}

const minified = async (css) => (await build({ stdin: { contents: css, loader: "css" }, minify: true, write: false, charset: "utf8" })).outputFiles[0].text.trim();

/** Writes a page of `src` to `out`, with its style sheets and its script in it, and the texts of `more`. */
async function write(out, name, { sheets, script, policy, more = {} }) {
  const style = await minified(
    [reportStyle(), read(here, "node_modules/uplot/dist/uPlot.min.css"), ...sheets.map((sheet) => read(here, "src", sheet))].join("\n"),
  );
  for (const text of [script, more.worker ?? ""]) {
    if (/<\/script/i.test(text)) throw new Error("a script would end its element");
  }
  const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
  const rules = [
    "default-src 'none'",
    `script-src ${[hash(script), ...policy.script].join(" ")}`,
    `style-src ${hash(style)}`,
    ...policy.rules,
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  const licence = read(here, "node_modules/uplot/LICENSE").replaceAll("--", "–").trim();
  const parts = { policy: rules, version, style, script, licence, ...more };
  const page = read(here, "src", name).replace(/\{\{(\w+)\}\}/g, (_, part) => parts[part]);
  mkdirSync(dirname(out), { recursive: true });
  writeFileSync(out, page);
}

const [which, out, engine] = process.argv.slice(2);
if (which === "cell") {
  const policy = { script: [], rules: ["connect-src 'self'"] };
  await write(out, "live.html", { sheets: ["page.css", "live.css"], script: await bundle("live.js", { format: "esm" }), policy });
} else {
  const worker = await bundle("worker.js", { format: "iife" });
  const policy = { script: ["'wasm-unsafe-eval'"], rules: ["worker-src blob:"] };
  const more = { worker, engine: readFileSync(engine).toString("base64") };
  await write(out, "page.html", { sheets: ["page.css"], script: await bundle("main.js", { format: "esm" }), policy, more });
}
