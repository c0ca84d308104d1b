// Opens a channel in Chromium for the first time and again, on a processor that is 4 times slower and a slow connection, and
// again as fast as this machine is:
//   node web/bench/start.ts [--rounds 9] [--web DIR] [--web DIR2]
// Several builds take turns, so that they are compared under the same conditions.
import { parseArgs } from "node:util";
import { FanfareClient } from "@fanfare/client";
import type { BrowserContext, Page } from "playwright-core";
import { makeChannels } from "./make-channels.ts";
import { quantile, type Site, startSite, throttleCpu, throttleNetwork } from "./site.ts";

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "9" }, web: { type: "string", multiple: true } },
});
const MESSAGES = 60;

interface Start {
  /** Of the largest text, which is a message. */
  largestPaintMs: number;
  firstPaintMs: number;
  longTaskMs: number;
}

const OBSERVE = `
  window.start = { largestPaintMs: 0, firstPaintMs: 0, longTaskMs: 0 };
  const watch = (type, look) =>
    new PerformanceObserver((list) => list.getEntries().forEach(look)).observe({ type, buffered: true });
  watch("largest-contentful-paint", ({ startTime }) => (start.largestPaintMs = startTime));
  watch("paint", ({ name, startTime }) => {
    if (name === "first-contentful-paint") start.firstPaintMs = startTime;
  });
  watch("longtask", ({ duration }) => (start.longTaskMs = Math.max(start.longTaskMs, duration)));
`;

const sites = await Promise.all(
  (values.web ?? [undefined]).map(async (web) => ({
    web: web ?? "current",
    site: await startSite(web === undefined ? {} : { web }),
    cold: [] as Start[],
    warm: [] as Start[],
    quick: [] as Start[],
  })),
);
try {
  const opened = [];
  for (const one of sites) opened.push({ ...one, ...(await prepare(one.site)) });
  for (let round = 0; round < Number(values.rounds); round++)
    for (const { site, visited, path, cold, warm, quick, newContext } of opened) {
      const context = await newContext();
      cold.push(await measure(await slowed(await context.newPage()), site.url + path));
      await context.close();
      warm.push(await measure(await slowed(await visited.newPage()), site.url + path));
      quick.push(await measure(await visited.newPage(), site.url + path));
    }
  const middle = (all: readonly Start[], name: keyof Start): number =>
    quantile(
      all.map((one) => one[name]),
      0.5,
    );
  const summary = (all: readonly Start[]) => ({
    largestPaintMs: middle(all, "largestPaintMs"),
    from: quantile(
      all.map((one) => one.largestPaintMs),
      0,
    ),
    to: quantile(
      all.map((one) => one.largestPaintMs),
      1,
    ),
    firstPaintMs: middle(all, "firstPaintMs"),
    longTaskMs: middle(all, "longTaskMs"),
  });
  for (const { web, cold, warm, quick } of opened)
    console.table({
      [`first visit, ${web}`]: summary(cold),
      [`second visit, ${web}`]: summary(warm),
      [`second visit at full speed, ${web}`]: summary(quick),
    });
} finally {
  for (const { site } of sites) await site.stop();
}

/** A channel, and the context of someone who has seen it before. */
async function prepare(site: Site) {
  const { username, password, groupId, channelIds } = await makeChannels(site.url, MESSAGES);
  const path = `/groups/${groupId}/channels/${channelIds[0]}`;
  const newContext = async (): Promise<BrowserContext> => {
    const client = new FanfareClient({ url: site.url });
    const tokens = await client.login({ username, password });
    client.close();
    return site.newContext(tokens, OBSERVE);
  };
  const visited = await newContext();
  // Twice: the second visit stores its scripts compiled.
  for (let visit = 0; visit < 2; visit++) {
    const page = await visited.newPage();
    await page.goto(site.url + path);
    await page.locator("[data-message-id]").first().waitFor();
    await page.waitForTimeout(5000);
    await page.close();
  }
  return { visited, path, newContext };
}

async function slowed(page: Page): Promise<Page> {
  await throttleNetwork(page);
  await throttleCpu(page);
  return page;
}

async function measure(page: Page, url: string): Promise<Start> {
  await page.goto(url);
  await page.locator("[data-message-id]").first().waitFor();
  await page.waitForTimeout(2500);
  const start = await page.evaluate<Start>("start");
  await page.close();
  return start;
}
