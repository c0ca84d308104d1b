import type * as frames from "./frames.ts";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

class Source {
  readonly listeners = new Set<() => void>();

  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  change(): void {
    for (const listener of this.listeners) listener();
  }
}

describe("oncePerFrame", () => {
  let page: EventTarget & { hidden: boolean };
  let requested: (() => void)[];
  let oncePerFrame: typeof frames.oncePerFrame;

  beforeEach(async () => {
    requested = [];
    page = Object.assign(new EventTarget(), { hidden: false });
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    vi.stubGlobal("document", page);
    vi.stubGlobal("requestAnimationFrame", (work: () => void) => requested.push(work));
    // Each test has a page of its own.
    vi.resetModules();
    ({ oncePerFrame } = await import("./frames.ts"));
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  const draw = () => requested.splice(0).forEach((work) => work());

  test("calls each listener once for all changes before a frame, and all sources in the same frame", () => {
    const sources = [new Source(), new Source()];
    const calls: string[] = [];
    oncePerFrame(sources[0]!)(() => calls.push("a"));
    oncePerFrame(sources[1]!)(() => calls.push("b"));
    for (let count = 0; count < 50; count++) for (const source of sources) source.change();
    expect(calls).toEqual([]);
    expect(requested).toHaveLength(1);
    draw();
    expect(calls).toEqual(["a", "b"]);
    draw();
    expect(calls).toHaveLength(2);
    sources[0]!.change();
    draw();
    expect(calls).toEqual(["a", "b", "a"]);
  });

  test("leaves one frame to an input", () => {
    const source = new Source();
    let calls = 0;
    oncePerFrame(source)(() => (calls += 1));
    for (let count = 0; count < 50; count++) source.change();
    expect(requested).toHaveLength(1);
    page.dispatchEvent(new Event("keydown"));
    draw();
    expect(calls).toBe(0);
    page.dispatchEvent(new Event("keydown"));
    draw();
    expect(calls).toBe(1);
  });

  test("shows the changes while the user types after each key, or after a while without one", () => {
    const source = new Source();
    let calls = 0;
    oncePerFrame(source)(() => (calls += 1));
    source.change();
    page.dispatchEvent(new Event("keydown"));
    draw();
    draw();
    expect(calls).toBe(1);

    source.change();
    vi.advanceTimersByTime(100);
    source.change();
    draw();
    expect(calls).toBe(1);
    page.dispatchEvent(new Event("keydown"));
    draw();
    expect(calls).toBe(1);
    draw();
    expect(calls).toBe(2);

    source.change();
    vi.advanceTimersByTime(199);
    expect(requested).toHaveLength(0);
    vi.advanceTimersByTime(1);
    draw();
    expect(calls).toBe(3);

    vi.advanceTimersByTime(500);
    source.change();
    draw();
    expect(calls).toBe(4);
  });

  test("shows the changes at once if the page is hidden while the user types", () => {
    const source = new Source();
    let calls = 0;
    oncePerFrame(source)(() => (calls += 1));
    source.change();
    page.dispatchEvent(new Event("keydown"));
    draw();
    draw();
    source.change();
    page.hidden = true;
    page.dispatchEvent(new Event("visibilitychange"));
    expect(calls).toBe(2);
    vi.advanceTimersByTime(1000);
    draw();
    expect(calls).toBe(2);
  });

  test("subscribes to its source only while it has listeners", () => {
    const source = new Source();
    const subscribe = oncePerFrame(source);
    const ends = [subscribe(() => {}), subscribe(() => {})];
    expect(source.listeners.size).toBe(1);
    for (const end of ends) end();
    expect(source.listeners.size).toBe(0);
  });

  test("a hidden page, which draws no frames, is current anyway", async () => {
    const source = new Source();
    let calls = 0;
    oncePerFrame(source)(() => (calls += 1));
    source.change();
    page.hidden = true;
    page.dispatchEvent(new Event("visibilitychange"));
    expect(calls).toBe(1);
    source.change();
    await Promise.resolve();
    expect(calls).toBe(2);
    expect(requested).toHaveLength(1);
  });
});
