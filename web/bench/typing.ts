// Types in Chromium, on a processor that is 4 times slower, while others write in the same channel:
//   node web/bench/typing.ts [--rate 50] [--keys 150] [--web DIR]
import { parseArgs } from "node:util";
import { FanfareClient } from "@fanfare/client";
import { quantile, startSite, throttleCpu } from "./site.ts";

const { values } = parseArgs({
  options: {
    rate: { type: "string", default: "50" },
    keys: { type: "string", default: "150" },
    web: { type: "string" },
  },
});
const keys = Number(values.keys);
const KEYS_PER_SECOND = 8;
const AUTHORS = 5;

const OBSERVE = `
  window.__REACT_DEVTOOLS_GLOBAL_HOOK__ = {
    supportsFiber: true,
    inject: () => 1,
    onCommitFiberRoot: () => { commits += 1; },
    onCommitFiberUnmount: () => {},
    onPostCommitFiberRoot: () => {},
  };
  window.commits = 0;
  window.frames = 0;
  window.presses = [];
  window.longFrames = [];
  const count = () => { frames += 1; requestAnimationFrame(count); };
  requestAnimationFrame(count);
  new PerformanceObserver((list) => {
    for (const { name, duration } of list.getEntries()) if (name === "keydown") presses.push(duration);
  }).observe({ type: "event", durationThreshold: 16, buffered: true });
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) longFrames.push(duration);
  }).observe({ type: "long-animation-frame", buffered: true });
`;

const site = await startSite({ ...(values.web !== undefined && { web: values.web }) });
const authors: FanfareClient[] = [];
try {
  const reader = new FanfareClient({ url: site.url });
  const tokens = await reader.createGuest({ nickname: "Reader" });
  const { group, channels } = await reader.call("group.create", { name: "Busy" });
  const { invite } = await reader.call("invite.create", { groupId: group.id });
  const channelId = channels[0]!.id;
  for (let number = 1; number <= AUTHORS; number++) {
    const author = new FanfareClient({ url: site.url });
    await author.createGuest({ nickname: `Author ${number}` });
    await author.connect();
    await author.call("invite.accept", { code: invite.code });
    authors.push(author);
  }
  const page = await site.newPage(tokens, OBSERVE);
  await page.goto(`${site.url}/groups/${group.id}/channels/${channelId}`);
  const field = page.getByRole("textbox", { name: "Message #general" });
  await field.click();
  await throttleCpu(page);

  let sent = 0;
  const writing = setInterval(
    () => {
      const author = authors[Math.floor(sent / 3) % AUTHORS]!;
      sent += 1;
      const content = `Message ${sent}: the **burn** of engine \`${sent % 5}\` was *nominal*, as expected.`;
      author.call("message.send", { channelId, content, nonce: `typing-${sent}` }).catch(() => undefined);
    },
    1000 / Number(values.rate),
  );
  await page.waitForTimeout(3000);
  const before = await page.evaluate<{ commits: number; frames: number }>("({ commits, frames })");
  await page.evaluate("presses.length = 0; longFrames.length = 0");
  const sentBefore = sent;
  const startMs = performance.now();
  for (let key = 0; key < keys; key++) {
    const dueMs = startMs + (key * 1000) / KEYS_PER_SECOND;
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, dueMs - performance.now())));
    await page.keyboard.press("abcdefghij"[key % 10]!);
  }
  await page.waitForTimeout(500);
  const seconds = (performance.now() - startMs) / 1000;
  clearInterval(writing);
  const after = await page.evaluate<{
    commits: number;
    frames: number;
    presses: number[];
    longFrames: number[];
  }>("({ commits, frames, presses, longFrames })");
  // Presses that took less than 16 ms have no entry.
  const presses = [...after.presses, ...Array<number>(Math.max(0, keys - after.presses.length)).fill(8)];
  console.log({
    messagesPerSecond: Math.round((sent - sentBefore) / seconds),
    commitsPerSecond: Math.round((after.commits - before.commits) / seconds),
    framesPerSecond: Math.round((after.frames - before.frames) / seconds),
    inputToPaintMs: {
      p50: quantile(presses, 0.5),
      p95: quantile(presses, 0.95),
      max: quantile(presses, 1),
    },
    longFrames: after.longFrames.length,
    longestFrameMs: quantile(after.longFrames, 1),
  });
} finally {
  for (const author of authors) author.close();
  await site.stop();
}
