import { open } from "./use-back.ts";

/*
 * On phones, each thing that is open above the page has an entry of the browser's history, with the same address: Back closes the topmost.
 * Only Chromium has `CloseWatcher`, which needs no entries.
 */

/** How long removing entries takes at most. */
const MAX_GOING_MS = 1000;
/** Ends the wait for removed entries; null if none are being removed. */
let going: ReturnType<typeof setTimeout> | null = null;
/** Changes of the address that wait for it. */
const waiting: (() => void)[] = [];
/** How many things had entries. */
let known = 0;
/** The page's address if it changed while something was open. */
let address: string | null = null;

/** How many things are open at the current entry. */
const depth = (): number => (history.state as { open?: number } | null)?.open ?? 0;

const push = history.pushState.bind(history);
const replace = history.replaceState.bind(history);

/** Makes the entries as many as the things that are open. */
export function update(): void {
  if (going !== null) return;
  const missing = open.length - depth();
  if (missing < 0) go(missing);
  for (let at = depth() + 1; at <= open.length; at++) push({ ...history.state, open: at }, "");
  known = open.length;
}

function go(by: number): void {
  going = setTimeout(giveUp, MAX_GOING_MS);
  history.go(by);
}

/** There were no entries, as in a copy of a tab. */
function giveUp(): void {
  replace({ ...history.state, open: 0 }, "");
  arrive();
}

function arrive(): void {
  clearTimeout(going ?? undefined);
  going = null;
  for (const change of waiting.splice(0)) change();
  // A new page closes things first.
  setTimeout(update);
}

// Runs before the page is rendered: with the old address, it would jump to the linked message again.
addEventListener(
  "popstate",
  () => {
    if (address !== null && staysOnPage(address)) replace(history.state, "", address);
    if (depth() === 0) address = null;
  },
  true,
);

addEventListener("popstate", () => {
  if (going !== null) return arrive();
  // The page that Back led to may have opened something already.
  for (const close of open.slice(depth(), known).toReversed()) close.current();
  // What doesn't close gets its entry back.
  setTimeout(update);
});

const staysOnPage = (url: string | URL | null = null): boolean =>
  url === null || new URL(url, location.href).pathname === location.pathname;

// A page is added right above the previous one: entries that remained before or after it would stop Back or Forward.
history.pushState = (...change) => {
  if (going === null && depth() > 0) go(-depth());
  if (going !== null) return void waiting.push(() => history.pushState(...change));
  address = null;
  push(...change);
};
history.replaceState = (state: object | null, ...change) => {
  if (going !== null) return void waiting.push(() => history.replaceState(state, ...change));
  const isBelow = depth() > 0 && staysOnPage(change[1]);
  replace(isBelow ? { ...state, open: depth() } : state, ...change);
  if (isBelow) address = location.href;
};
