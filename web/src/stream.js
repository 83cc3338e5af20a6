// The connection to the emulation. It is opened again by itself until the emulation has ended.

/** The time between two attempts to connect [ms]. */
const AGAIN_MS = 1000;

/** Calls `about`, `state` and `end` with what the emulation sends, and `lost` with a sentence, or null once connected. */
export function follow({ about, state, end, lost }) {
  const source = new EventSource("stream");
  const on = (name, act) => source.addEventListener(name, ({ data }) => act(data ? JSON.parse(data) : null));
  source.addEventListener("open", () => lost(null));
  on("about", about);
  on("state", state);
  on("end", (last) => {
    source.close();
    end(last);
  });
  source.addEventListener("error", async () => {
    source.close();
    lost(await reason());
    setTimeout(() => follow({ about, state, end, lost }), AGAIN_MS);
  });
}

/** A sentence on why there is no connection. */
async function reason() {
  const tries = "The page tries to connect again each second.";
  try {
    const { status } = await fetch("state");
    if (status === 403) return `The emulation of this page has ended. Another one runs here; airfair has printed its address. ${tries}`;
    return `The connection was interrupted. ${tries}`;
  } catch {
    return `The emulation does not answer: it has ended, or the connection is interrupted. ${tries}`;
  }
}

/** Asks for a change of the running cell. Returns null, or the error as a sentence. */
export async function change(request) {
  try {
    const answer = await fetch("set", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(request),
    });
    const { ok, error } = await answer.json();
    return ok ? null : error;
  } catch {
    return "The emulation does not answer.";
  }
}
