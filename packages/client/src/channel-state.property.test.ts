import type { Message } from "@fanfare/contract";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { ModelChannel } from "../test/model-channel.ts";
import {
  type ChannelChange,
  newChannelCopy,
  type ReactionChange,
  reduceChannel,
  saveCopy,
  syncCursor,
} from "./channel-state.ts";

/** Small, so that few steps reach every code path. */
const LIMIT = 4;
const CHANGES_PER_SYNC = 5;

const number = fc.nat(20);
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ type: fc.constant("create" as const) }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant("edit" as const), which: number }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant("react" as const), which: number }) },
  { weight: 8, arbitrary: fc.record({ type: fc.constant("deliver" as const), which: number }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("repeat" as const), which: number }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant("lose" as const), which: number }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant("requestSync" as const) }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("requestNewest" as const) }) },
  { weight: 4, arbitrary: fc.record({ type: fc.constant("requestOlder" as const) }) },
  { weight: 6, arbitrary: fc.record({ type: fc.constant("answer" as const), which: number }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("invalidate" as const) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("restart" as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** A client and a channel, connected by a network that loses, repeats, reorders and delays events. */
class Simulation {
  readonly server = new ModelChannel("c".repeat(24), CHANGES_PER_SYNC);
  copy = newChannelCopy("c".repeat(24));
  #changes = 0;
  #events: (Message | ReactionChange)[] = [];
  /** Responses that the client hasn't received yet. */
  #answers: ChannelChange[] = [];
  #isNewestPagePending = false;

  /** Starts with `before` messages, of which the newest are loaded. */
  constructor(before: number) {
    for (let i = 0; i < before; i++) this.server.create(`first ${i}`);
    if (before === 0) return;
    this.requestNewest();
    this.run({ type: "answer", which: 0 });
  }

  /** The program ends, and a later one restores what was stored. */
  #restart(): void {
    const saved = saveCopy(this.copy, LIMIT);
    this.#events = [];
    this.#answers = [];
    this.#isNewestPagePending = false;
    this.copy = newChannelCopy(this.copy.channelId);
    if (saved === undefined) return;
    this.copy = reduceChannel(this.copy, { type: "newestPage", page: saved, invalidations: -1 });
    this.copy = reduceChannel(this.copy, { type: "invalidate" });
  }

  run(step: Step): void {
    this.#changes += 1;
    switch (step.type) {
      case "create":
        this.#events.push(this.server.create(`created at ${this.#changes}`));
        break;
      case "restart":
        return this.#restart();
      case "edit":
        this.#publish(this.server.edit(step.which, `edited at ${this.#changes}`));
        break;
      case "react":
        this.#publish(this.server.react(step.which, this.#changes % 3));
        break;
      case "deliver":
        for (const event of this.#take(this.#events, step.which)) this.#receive(event);
        break;
      case "repeat":
        if (this.#events.length > 0) this.#receive(this.#events[step.which % this.#events.length]!);
        break;
      case "lose":
        this.#take(this.#events, step.which);
        break;
      case "requestSync":
        this.requestSync();
        break;
      case "requestNewest":
        this.requestNewest();
        break;
      case "requestOlder":
        this.#requestOlder();
        break;
      case "answer":
        for (const change of this.#take(this.#answers, step.which)) this.#apply(change);
        break;
      case "invalidate":
        this.#apply({ type: "invalidate" });
        break;
    }
  }

  /** Delivers everything, then syncs until the client has nothing left to request. */
  settle(): void {
    for (const answer of this.#answers.splice(0)) this.#apply(answer);
    this.#events = [];
    this.#apply({ type: "invalidate" });
    for (let requests = 0; this.copy.needsPage || syncCursor(this.copy) !== undefined; requests++) {
      if (requests > 100) throw new Error("the client never stops requesting");
      if (this.copy.needsPage) this.requestNewest();
      else this.requestSync();
      for (const answer of this.#answers.splice(0)) this.#apply(answer);
    }
  }

  requestSync(): void {
    const afterRev = syncCursor(this.copy);
    if (afterRev === undefined) return;
    this.#answers.push({ type: "synced", answer: this.server.sync(afterRev), asked: this.copy });
  }

  /** One at a time, like the client. */
  requestNewest(): void {
    if (this.#isNewestPagePending) return;
    this.#isNewestPagePending = true;
    const page = this.server.list({ limit: LIMIT });
    const { invalidations } = this.copy;
    this.#answers.push({ type: "newestPage", page, invalidations });
  }

  #requestOlder(): void {
    const { status, fromSeq } = this.copy;
    if (status !== "ready" || fromSeq === 0) return;
    const page = this.server.list({ limit: LIMIT, before: fromSeq });
    this.#answers.push({ type: "olderPage", page, before: fromSeq });
  }

  #apply(change: ChannelChange): void {
    if (change.type === "newestPage") this.#isNewestPagePending = false;
    this.copy = reduceChannel(this.copy, change);
  }

  #receive(event: Message | ReactionChange): void {
    this.#apply(
      "afterRev" in event ? { type: "reactions", change: event } : { type: "messages", messages: [event] },
    );
  }

  #publish(event: Message | ReactionChange | undefined): void {
    if (event !== undefined) this.#events.push(event);
  }

  #take<T>(list: T[], which: number): T[] {
    return list.splice(which % Math.max(1, list.length), 1);
  }
}

test("the copy matches the server despite lost, repeated, reordered and delayed events", () => {
  fc.assert(
    fc.property(fc.nat(15), fc.array(step, { maxLength: 60, size: "max" }), (before, steps) => {
      const simulation = new Simulation(before);
      for (const step of steps) simulation.run(step);
      simulation.settle();
      const { messages, fromSeq, head } = simulation.copy;
      expect(messages).toEqual(simulation.server.messages.filter(({ seq }) => seq >= fromSeq));
      expect(messages.length).toBeGreaterThanOrEqual(Math.min(LIMIT, simulation.server.messages.length));
      expect(head).toEqual(simulation.server.list({ limit: 1 }).head);
    }),
    { numRuns: 10_000 },
  );
});

test("without loss, delivery in any order needs no sync", () => {
  const order = fc.array(fc.record({ edit: fc.boolean(), which: number }), {
    minLength: 1,
    maxLength: 30,
    size: "max",
  });
  fc.assert(
    fc.property(order, fc.infiniteStream(fc.nat(1000)), (changes, shuffle) => {
      const server = new ModelChannel("c".repeat(24), CHANGES_PER_SYNC);
      const events: Message[] = [];
      const page = server.list({ limit: LIMIT });
      for (const { edit, which } of changes) {
        const event = edit ? server.edit(which, `edit ${events.length}`) : server.create(`${events.length}`);
        if (event !== undefined) events.push(event);
      }
      const first = { type: "newestPage" as const, page, invalidations: 0 };
      let copy = reduceChannel(newChannelCopy("c".repeat(24)), first);
      while (events.length > 0) {
        const messages = events.splice((shuffle.next().value as number) % events.length, 1);
        copy = reduceChannel(copy, { type: "messages", messages });
      }
      expect(syncCursor(copy)).toBeUndefined();
      expect(copy.messages).toEqual(server.messages);
    }),
    { numRuns: 500 },
  );
});

test("reactions in order need no sync; out of order they are synced", () => {
  const server = new ModelChannel("c".repeat(24), CHANGES_PER_SYNC);
  server.create("one");
  const page = server.list({ limit: LIMIT });
  const first = { type: "newestPage" as const, page, invalidations: 0 };
  const copy = reduceChannel(newChannelCopy("c".repeat(24)), first);
  const changes = [server.react(0, 1)!, server.react(0, 2)!, server.react(0, 0)!];
  const inOrder = changes.reduce(
    (before, change) => reduceChannel(before, { type: "reactions", change }),
    copy,
  );
  expect(inOrder.messages).toEqual(server.messages);
  expect(syncCursor(inOrder)).toBeUndefined();
  const early = reduceChannel(copy, { type: "reactions", change: changes[1]! });
  expect(early.messages).toEqual(copy.messages);
  expect(syncCursor(early)).toBe(0);
});
