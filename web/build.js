// Builds the playground as one file: `node build.js ENGINE.wasm OUT.html`. The page has the same style as the reports.

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

const [engine, out] = process.argv.slice(2);
const style = await minified(
  [reportStyle(), read(here, "node_modules/uplot/dist/uPlot.min.css"), read(here, "src/page.css")].join("\n"),
);
const script = await bundle("main.js", { format: "esm" });
const worker = await bundle("worker.js", { format: "iife" });
for (const text of [script, worker]) {
  if (/<\/script/i.test(text)) throw new Error("a script would end its element");
}

const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
const policy = [
  "default-src 'none'",
  `script-src ${hash(script)} 'wasm-unsafe-eval'`,
  `style-src ${hash(style)}`,
  "worker-src blob:",
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");
const licence = read(here, "node_modules/uplot/LICENSE").replaceAll("--", "–").trim();
const parts = { policy, version, style, script, worker, licence, engine: readFileSync(engine).toString("base64") };
const page = read(here, "src/page.html").replace(/\{\{(\w+)\}\}/g, (_, name) => parts[name]);
mkdirSync(dirname(out), { recursive: true });
writeFileSync(out, page);
