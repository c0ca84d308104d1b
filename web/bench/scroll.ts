// Scrolls a channel with 100,000 messages in Chromium and switches between loaded channels:
//   node web/bench/scroll.ts [--messages 100000] [--seconds 8] [--data DIR]
// The --data folder is kept, so that later runs can reuse the messages.
import { parseArgs } from "node:util";
import { FanfareClient } from "@fanfare/client";
import type { Page } from "playwright-core";
import { makeChannels, type BenchPlace } from "./make-channels.ts";
import { scrollFor } from "./scroll-page.ts";
import { startSite } from "./site.ts";
import { switchChannels } from "./switch-page.ts";

const { values } = parseArgs({
  options: {
    messages: { type: "string", default: "100000" },
    seconds: { type: "string", default: "8" },
    data: { type: "string" },
  },
});
const messages = Number(values.messages);
const seconds = Number(values.seconds);

const site = await startSite({ ...(values.data !== undefined && { data: values.data }) });
try {
  const place = await makeChannels(site.url, messages);
  const page = await openPage(place);
  console.log(`${messages} messages; frames of 60 Hz are due every 16.7 ms`);
  await show(page, place, place.newestId);
  console.log("up from the newest  ", await scrollFor(page, seconds, -60));
  await show(page, place, place.middleId);
  console.log("up from the middle  ", await scrollFor(page, seconds, -60));
  console.log("down from the middle", await scrollFor(page, seconds, 60));
  console.log("fast, up            ", await scrollFor(page, seconds, -400));
  console.log("channel switch      ", await switchChannels(page, place));
} finally {
  await site.stop();
}

async function openPage({ username, password }: BenchPlace): Promise<Page> {
  const client = new FanfareClient({ url: site.url });
  const tokens = await client.login({ username, password });
  client.close();
  return site.newPage(tokens);
}

async function show(page: Page, { groupId, channelIds }: BenchPlace, messageId: string): Promise<void> {
  await page.goto(`${site.url}/groups/${groupId}/channels/${channelIds[0]}?message=${messageId}`);
  await page.locator(`[data-message-id="${messageId}"]`).waitFor();
  await page.waitForTimeout(1500);
}
