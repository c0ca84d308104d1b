import type { CDPSession, Page } from "playwright-core";

export interface ScrollFigures {
  frames: number;
  /** Frames that took longer than 1/60 s, plus 1 ms of tolerance. */
  late: number;
  /** Milliseconds between frames. */
  p50: number;
  p99: number;
  max: number;
  /** Frames without a message in the middle of the view. */
  blank: number;
  /** How often a visible message moved differently than scrolled, and the maximum distance in pixels. */
  jumps: number;
  maxJump: number;
  /** Main thread time in milliseconds per frame. */
  scripting: number;
  styleAndLayout: number;
  tasks: number;
}

/** Scrolls by `step` pixels per frame, like a held finger, and measures. */
export async function scrollFor(page: Page, seconds: number, step: number): Promise<ScrollFigures> {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable");
  const before = await metrics(session);
  const seen = await page.evaluate(scroll, { seconds, step });
  const after = await metrics(session);
  await session.detach();
  const perFrame = (...names: string[]): number => {
    const spent = names.reduce((sum, name) => sum + (after[name] ?? 0) - (before[name] ?? 0), 0);
    return round((spent * 1000) / seen.frames.length);
  };
  const sorted = seen.frames.toSorted((a, b) => a - b);
  return {
    frames: sorted.length,
    late: sorted.filter((ms) => ms > 17.7).length,
    p50: round(sorted[Math.floor(sorted.length * 0.5)]!),
    p99: round(sorted[Math.floor(sorted.length * 0.99)]!),
    max: round(sorted.at(-1)!),
    blank: seen.blank,
    jumps: seen.jumps,
    maxJump: Math.round(seen.maxJump),
    scripting: perFrame("ScriptDuration"),
    styleAndLayout: perFrame("LayoutDuration", "RecalcStyleDuration"),
    tasks: perFrame("TaskDuration"),
  };
}

async function metrics(session: CDPSession): Promise<Record<string, number>> {
  const answer = await session.send("Performance.getMetrics");
  return Object.fromEntries(answer.metrics.map(({ name, value }) => [name, value]));
}

/** Runs in the page. */
async function scroll({ seconds, step }: { seconds: number; step: number }) {
  const log = document.querySelector<HTMLElement>("[role=log]")!;
  const frames: number[] = [];
  let blank = 0;
  let jumps = 0;
  let maxJump = 0;
  const middle = log.getBoundingClientRect().top + log.clientHeight / 2;
  const inMiddle = () =>
    [...log.querySelectorAll<HTMLElement>("[data-message-id]")].find((message) => {
      const { top, bottom } = message.getBoundingClientRect();
      return top <= middle + 60 && bottom >= middle - 60;
    });
  let last = await new Promise<number>((resolve) => requestAnimationFrame(resolve));
  const end = last + seconds * 1000;
  let anchor: { element: HTMLElement; expected: number } | undefined;
  while (last < end) {
    const now = await new Promise<number>((resolve) => requestAnimationFrame(resolve));
    frames.push(now - last);
    last = now;
    if (anchor?.element.isConnected === true) {
      const off = Math.abs(anchor.element.getBoundingClientRect().top - anchor.expected);
      if (off > 1.5) {
        jumps += 1;
        maxJump = Math.max(maxJump, off);
      }
    }
    const element = inMiddle();
    if (element === undefined) blank += 1;
    const top = element?.getBoundingClientRect().top ?? 0;
    const from = log.scrollTop;
    log.scrollTop += step;
    anchor = element && { element, expected: top + from - log.scrollTop };
  }
  return { frames, blank, jumps, maxJump };
}

const round = (ms: number): number => Math.round(ms * 100) / 100;
