// Types in Chromium, on a processor that is 4 times slower, while others write in the same channel:
//   node web/bench/typing.ts [--rate 50] [--keys 150] [--rounds 3] [--web DIR] [--web DIR2]
// Several builds take turns, with a page that has only a text field. `workMs` is the main thread's CPU time for a key until its frame. Both
// rise with the machine's other load.
import { parseArgs } from "node:util";
import { FanfareClient } from "@fanfare/client";
import type { Locator, Page } from "playwright-core";
import { quantile, type Site, startSite, throttleCpu } from "./site.ts";
import { type MainThread, traceMainThread } from "./trace.ts";

const { values } = parseArgs({
  options: {
    rate: { type: "string", default: "50" },
    keys: { type: "string", default: "150" },
    rounds: { type: "string", default: "3" },
    web: { type: "string", multiple: true },
  },
});
const keys = Number(values.keys);
const KEYS_PER_SECOND = 8;
/** People don't type evenly: keys come up to this much earlier or later, each differently, but the same in each round. */
const UNEVEN_MS = 50;
const STEPS = 13;
const AUTHORS = 5;
const TEXT = Array.from({ length: keys }, (_, index) => "abcdefghij"[index % 10]).join("");

const OBSERVE = `
  window.__REACT_DEVTOOLS_GLOBAL_HOOK__ = {
    supportsFiber: true,
    inject: () => 1,
    onCommitFiberRoot: () => { commits += 1; },
    onCommitFiberUnmount: () => {},
    onPostCommitFiberRoot: () => {},
  };
  window.commits = 0;
  window.shown = new Set();
  new MutationObserver((changes) => {
    for (const { addedNodes } of changes)
      for (const node of addedNodes)
        if (node instanceof Element)
          for (const message of [node, ...node.querySelectorAll("[data-message-id]")])
            if (message.dataset.messageId !== undefined) shown.add(message.dataset.messageId);
  }).observe(document, { childList: true, subtree: true });
`;

interface Typed {
  thread: MainThread;
  seconds: number;
  /** Messages that came into view. */
  shown: number;
  commits: number;
}

const sites = [];
for (const web of values.web ?? [undefined])
  sites.push({
    web: web ?? "current",
    site: await startSite(web === undefined ? {} : { web }),
    rounds: [] as Typed[],
  });
const bare: MainThread[] = [];
try {
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const { site, rounds } of sites) rounds.push(await typeInChannel(site));
    bare.push(await typeInField(sites[0]!.site));
  }
  for (const { web, rounds } of sites) console.log(web, summary(rounds));
  console.log("only a text field", waits(bare));
} finally {
  for (const { site } of sites) await site.stop();
}

async function typeInField(site: Site): Promise<MainThread> {
  const page = await site.browser.newPage({ viewport: null });
  try {
    await page.setContent("<textarea></textarea>");
    const field = page.getByRole("textbox");
    await field.click();
    await throttleCpu(page);
    return (await type(site, page, field)).thread;
  } finally {
    await page.context().close();
  }
}

async function typeInChannel(site: Site): Promise<Typed> {
  const reader = new FanfareClient({ url: site.url });
  const tokens = await reader.createGuest({ nickname: "Reader" });
  const { group, channels } = await reader.call("group.create", { name: "Busy" });
  const { invite } = await reader.call("invite.create", { groupId: group.id });
  const channelId = channels[0]!.id;
  const authors: FanfareClient[] = [];
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
  try {
    await page.waitForTimeout(3000);
    const before = await seen(page);
    const { thread, seconds } = await type(site, page, field);
    const after = await seen(page);
    if (after.shown - before.shown < (Number(values.rate) * seconds) / 2)
      throw new Error("Less than half of the messages came into view.");
    return {
      thread,
      seconds,
      shown: after.shown - before.shown,
      commits: after.commits - before.commits,
    };
  } finally {
    clearInterval(writing);
    for (const author of authors) author.close();
    await page.context().close();
  }
}

async function type(
  site: Site,
  page: Page,
  field: Locator,
): Promise<{ thread: MainThread; seconds: number }> {
  const endTrace = await traceMainThread(site.browser, page);
  const startMs = performance.now();
  await pressKeys(page, startMs);
  await page.waitForFunction(([area, text]) => (area as HTMLTextAreaElement).value === text, [
    await field.elementHandle(),
    TEXT,
  ] as const);
  await page.waitForTimeout(500);
  const seconds = (performance.now() - startMs) / 1000;
  const thread = await endTrace();
  if (thread.waitsMs.length !== keys)
    throw new Error(`${thread.waitsMs.length} of ${keys} keys were painted.`);
  return { thread, seconds };
}

/** How many times React has rendered, and how many messages were rendered. */
function seen(page: Page): Promise<{ commits: number; shown: number }> {
  return page.evaluate("({ commits, shown: shown.size })");
}

/** A key is pressed when it is due, also if the page hasn't handled the one before. */
async function pressKeys(page: Page, startMs: number): Promise<void> {
  const presses: Promise<void>[] = [];
  for (let index = 0; index < keys; index++) {
    const share = ((index * 5) % STEPS) / (STEPS - 1);
    const dueMs = startMs + (index * 1000) / KEYS_PER_SECOND + (2 * share - 1) * UNEVEN_MS;
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, dueMs - performance.now())));
    presses.push(page.keyboard.press(TEXT[index]!));
  }
  await Promise.all(presses);
}

function summary(rounds: readonly Typed[]) {
  const seconds = sum(rounds.map((round) => round.seconds));
  const rate = (of: (round: Typed) => number): number => Math.round(sum(rounds.map(of)) / seconds);
  return {
    messagesPerSecond: rate(({ shown }) => shown),
    commitsPerSecond: rate(({ commits }) => commits),
    framesPerSecond: rate(({ thread }) => thread.frames),
    layoutsPerSecond: rate(({ thread }) => thread.layouts),
    forcedLayoutsPerSecond: rate(({ thread }) => thread.forcedLayouts),
    layoutMsPerSecond: rate(({ thread }) => thread.layoutMs),
    forcedLayoutMsPerSecond: rate(({ thread }) => thread.forcedLayoutMs),
    workMsPerSecond: rate(({ thread }) => thread.workMs),
    longestTaskMs: Math.round(Math.max(...rounds.map(({ thread }) => thread.longestTaskMs))),
    ...waits(rounds.map(({ thread }) => thread)),
  };
}

function waits(threads: readonly MainThread[]) {
  const spread = (numbers: readonly number[]) => ({
    p50: quantile(numbers, 0.5),
    p95: quantile(numbers, 0.95),
    max: quantile(numbers, 1),
  });
  return {
    inputToPaintMs: spread(threads.flatMap(({ waitsMs }) => waitsMs)),
    workMs: spread(threads.flatMap(({ keyWorkMs }) => keyWorkMs)),
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
