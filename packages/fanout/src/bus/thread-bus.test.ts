import { afterEach, expect, test } from "vitest";
import type { MessagePort } from "node:worker_threads";
import { Emitter } from "../emitter.ts";
import { threadBus, ThreadHub, ThreadSpoke, type ThreadBus } from "./thread-bus.ts";

const ports: MessagePort[] = [];
afterEach(() => {
  for (const port of ports.splice(0)) port.close();
});

function star(threads: number): [ThreadHub, ...ThreadSpoke[]] {
  const hub = new ThreadHub();
  const spokes = Array.from({ length: threads }, () => {
    const port = hub.connect();
    ports.push(port);
    return new ThreadSpoke(port);
  });
  return [hub, ...spokes];
}

function listen(bus: ThreadBus, subject: string): { received: unknown[]; stop: () => void } {
  const received: unknown[] = [];
  return { received, stop: bus.subscribe(subject, (data) => received.push(data)) };
}

/** Waits until each thread's messages have reached all others. */
async function settled(...buses: ThreadBus[]): Promise<void> {
  for (const bus of [...buses, ...buses]) await bus.flush();
}

test("a publication reaches exactly the threads that subscribe to its subject", async () => {
  const [hub, a, b] = star(2) as [ThreadHub, ThreadSpoke, ThreadSpoke];
  const all = [hub, a, b].map((bus) => listen(bus, "news").received);
  const other = listen(b, "other").received;
  await settled(a, b);
  for (const [i, bus] of [hub, a, b].entries()) bus.publish("news", i);
  await settled(a, b);
  for (const received of all) expect(new Set(received)).toEqual(new Set([0, 1, 2]));
  expect(other).toEqual([]);
});

test("a thread's publications arrive in order across subjects", async () => {
  const [hub, a, b] = star(2) as [ThreadHub, ThreadSpoke, ThreadSpoke];
  const received: unknown[] = [];
  for (const subject of ["x", "y"]) b.subscribe(subject, (data) => received.push(data));
  await settled(b);
  for (let i = 0; i < 100; i++) a.publish(i % 2 === 0 ? "x" : "y", i);
  await settled(a, b);
  expect(received).toEqual(Array.from({ length: 100 }, (_, i) => i));
  hub.publish("x", "from the hub");
  await settled(b);
  expect(received.at(-1)).toBe("from the hub");
});

test("after a flush, no publication is missed", async () => {
  const [hub, a] = star(1) as [ThreadHub, ThreadSpoke];
  for (let i = 0; i < 50; i++) {
    const { received } = listen(a, `subject ${i}`);
    await a.flush();
    hub.publish(`subject ${i}`, i);
    await a.flush();
    expect(received).toEqual([i]);
  }
});

test("the hub knows which subjects reach someone", async () => {
  const [hub, a] = star(1) as [ThreadHub, ThreadSpoke];
  const { stop } = listen(a, "news");
  const own = listen(hub, "own");
  await a.flush();
  expect(["news", "own", "other"].map((subject) => hub.hears(subject))).toEqual([true, true, false]);
  stop();
  own.stop();
  await a.flush();
  expect(["news", "own"].map((subject) => hub.hears(subject))).toEqual([false, false]);
});

test("an unsubscribed handler receives nothing; other handlers of the subject do", async () => {
  const [hub, a] = star(1) as [ThreadHub, ThreadSpoke];
  const first = listen(a, "news");
  const second = listen(a, "news");
  await a.flush();
  first.stop();
  hub.publish("news", 1);
  await a.flush();
  second.stop();
  await a.flush();
  hub.publish("news", 2);
  await a.flush();
  expect([first.received, second.received]).toEqual([[], [1]]);
});

test("an emitter publishes only what reaches someone", async () => {
  const [hub, a] = star(1) as [ThreadHub, ThreadSpoke];
  const copies: number[] = [];
  const emitter = new Emitter({ bus: threadBus(hub), onPublished: (count) => copies.push(count) });
  emitter.emit("room", "e", 1);
  emitter.socketsJoin("room", ["other"]);
  emitter.socketsLeave("room", ["other"]);
  const { received } = listen(a, "fanfare.room.room");
  await a.flush();
  emitter.emit(["room", "empty"], "e", 2);
  emitter.socketsJoin("room", ["other"]);
  // Its subscription may not be active yet, so it gets this on the subject of the join.
  emitter.emit("other", "e", 3);
  emitter.socketsLeave("room", ["other"]);
  await a.flush();
  expect(copies).toEqual([2, 1, 2, 1]);
  expect(received).toHaveLength(4);
  emitter.close();
});
