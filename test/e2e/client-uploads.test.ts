import { readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { fileURLToPath } from "node:url";
import { createWorld } from "@fanfare/testing";
import { describe, expect, test } from "vitest";
import { hasBrowser } from "./browser.ts";
import { useSite } from "./site.ts";

// The SDK in a browser: its sources with types stripped, because there is no bundle to test.

const SOURCES = fileURLToPath(new URL("../../packages/client/src/", import.meta.url));
/** The sources' imports from other packages. */
const BARE_IMPORTS: Record<string, string> = {
  "socket.io.js": fileURLToPath(
    new URL("../../packages/client/node_modules/socket.io-client/dist/socket.io.esm.min.js", import.meta.url),
  ),
  "backoff.ts": fileURLToPath(new URL("../../packages/contract/src/backoff.ts", import.meta.url)),
  "manifest.generated.ts": fileURLToPath(
    new URL("../../packages/contract/src/manifest.generated.ts", import.meta.url),
  ),
};
const PAGE = `<!doctype html>
<script type="importmap">{"imports": {
  "socket.io-client": "/sdk/socket.io.js",
  "@fanfare/contract/backoff": "/sdk/backoff.ts",
  "@fanfare/contract/manifest": "/sdk/manifest.generated.ts"
}}</script>
<script type="module">
  import { FanfareClient } from "/sdk/index.ts";
  window.FanfareClient = FanfareClient;
</script>`;

describe.skipIf(!hasBrowser())("the SDK in a browser", () => {
  const site = useSite();

  test("reports upload progress, can abort, and passes on the server's error", async () => {
    const { url } = site;
    const { channel, owner, stranger } = await createWorld(url);
    const page = await (await site.newContext()).newPage();
    await page.route(`${url}/sdk/**`, (route) => {
      const name = route.request().url().slice(`${url}/sdk/`.length);
      if (name === "page") return route.fulfill({ contentType: "text/html", body: PAGE });
      const source = readFileSync(BARE_IMPORTS[name] ?? `${SOURCES}${name}`, "utf8");
      const body = name.endsWith(".ts") ? stripTypeScriptTypes(source) : source;
      return route.fulfill({ contentType: "text/javascript", body });
    });
    await page.goto(`${url}/sdk/page`);
    await page.waitForFunction("window.FanfareClient !== undefined");
    const script = `async ([url, channelId, owner, stranger]) => {
    const as = (accessToken) => {
      const client = new FanfareClient({ url });
      client.useTokens({ accessToken, accessTokenExpiresAt: "2999-01-01T00:00:00.000Z", user: null });
      return client;
    };
    const bytes = 8_000_000;
    const blob = new Blob([new Uint8Array(bytes)]);
    const progress = [];
    const file = await as(owner).upload(channelId, "a.bin", blob, {
      onProgress: ({ sentBytes }) => progress.push(sentBytes),
    });
    const aborter = new AbortController();
    const failure = (work) => work.then(() => "done", (error) => error.type ?? error.message);
    const aborted = await failure(
      as(owner).upload(channelId, "b.bin", blob, {
        signal: aborter.signal,
        onProgress: ({ sentBytes }) => sentBytes > 0 && aborter.abort(new Error("enough")),
      }),
    );
    const refused = await failure(as(stranger).upload(channelId, "c.bin", new Blob(["c"])));
    return { bytes: file.bytes, first: progress[0], last: progress.at(-1), aborted, refused };
  }`;
    const argument = [url, channel.id, owner.accessToken, stranger.accessToken];
    const found = await page.evaluate(`(${script})(${JSON.stringify(argument)})`);
    expect(found).toEqual({
      bytes: 8_000_000,
      first: 0,
      last: 8_000_000,
      aborted: "enough",
      refused: "CHANNEL_NOT_FOUND",
    });
  });
});
