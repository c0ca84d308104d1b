// Opens a group with 499 channels in Chromium, on a processor that is 4 times slower:
//   node web/bench/channel-list.ts [--channels 499] [--rounds 15] [--web DIR]
import { parseArgs } from "node:util";
import { FanfareClient } from "@fanfare/client";
import { quantile, startSite, throttleCpu } from "./site.ts";

const { values } = parseArgs({
  options: {
    channels: { type: "string", default: "499" },
    rounds: { type: "string", default: "15" },
    web: { type: "string" },
  },
});

const site = await startSite({ ...(values.web !== undefined && { web: values.web }) });
try {
  const client = new FanfareClient({ url: site.url });
  const tokens = await client.createGuest();
  await client.connect();
  const { group: small } = await client.call("group.create", { name: "Small" });
  const { group: large } = await client.call("group.create", { name: "Large" });
  for (let number = 1; number < Number(values.channels); number++)
    await client.call("channel.create", { groupId: large.id, name: `channel-${number}` });
  client.close();

  const page = await site.newPage(tokens);
  await page.goto(`${site.url}/groups/${small.id}`);
  await page.getByRole("link", { name: "general" }).waitFor();
  await throttleCpu(page);
  const times: number[] = [];
  for (let round = 0; round <= Number(values.rounds); round++) {
    for (const { id } of [large, small]) {
      // From the click to the frame after the one in which the group's channels and messages are there.
      const tookMs = await page.evaluate(async (groupId) => {
        const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
        const start = performance.now();
        document.querySelector<HTMLElement>(`a[href^="/groups/${groupId}"]`)!.click();
        const isShown = () =>
          document.querySelector(`nav a[aria-current=page][href^="/groups/${groupId}/channels/"]`) !== null &&
          document.querySelector("[role=log]") !== null;
        while (!isShown()) await frame();
        await frame();
        return performance.now() - start;
      }, id);
      // The first round loads the channels.
      if (id === large.id && round > 0) times.push(tookMs);
      if (id === large.id && round === 0) await page.waitForTimeout(2000);
      await page.waitForTimeout(500);
    }
  }
  await page.evaluate((groupId) => {
    document.querySelector<HTMLElement>(`a[href^="/groups/${groupId}"]`)!.click();
  }, large.id);
  await page.waitForTimeout(2000);
  console.log({
    channels: Number(values.channels),
    rows: await page.evaluate(() => document.querySelectorAll("nav a[href*='/channels/']").length),
    domNodes: await page.evaluate(() => document.querySelectorAll("*").length),
    openedMs: { p50: quantile(times, 0.5), max: quantile(times, 1) },
  });
} finally {
  await site.stop();
}
