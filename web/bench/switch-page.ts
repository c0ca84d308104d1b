import type { Page } from "playwright-core";
import type { BenchPlace } from "./make-channels.ts";

export interface SwitchFigures {
  switches: number;
  /** Milliseconds from the click to the frame in which the other channel's messages are painted. */
  p50: number;
  max: number;
}

const SWITCHES = 20;

/** Switches between loaded channels by their links in the sidebar. */
export async function switchChannels(page: Page, { channelIds }: BenchPlace): Promise<SwitchFigures> {
  const times: number[] = [];
  for (let count = 0; count < SWITCHES + channelIds.length; count++) {
    const channelId = channelIds[(count + 1) % channelIds.length]!;
    const took = await page.evaluate(async (id) => {
      const link = document.querySelector<HTMLElement>(`a[href$="/channels/${id}"]`)!;
      const before = document.querySelector("[role=log] [data-message-id]");
      const start = performance.now();
      link.click();
      for (;;) {
        await new Promise((resolve) => requestAnimationFrame(resolve));
        const first = document.querySelector("[role=log] [data-message-id]");
        if (first !== null && first !== before && location.pathname.endsWith(id)) break;
      }
      // Painted when the next frame begins.
      await new Promise((resolve) => requestAnimationFrame(resolve));
      return performance.now() - start;
    }, channelId);
    // The first round loads the messages.
    if (count >= channelIds.length) times.push(took);
    await page.waitForTimeout(400);
  }
  const sorted = times.toSorted((a, b) => a - b);
  return {
    switches: sorted.length,
    p50: Math.round(sorted[Math.floor(sorted.length / 2)]!),
    max: Math.round(sorted.at(-1)!),
  };
}
