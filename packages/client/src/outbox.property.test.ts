import type { Message, Params } from "@fanfare/contract";
import { setImmediate, setTimeout } from "node:timers/promises";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { FanfareError, localError } from "./errors.ts";
import { Outbox } from "./outbox.ts";

type Outcome = "stored" | "rejected" | "lost before" | "lost after";

const outcome = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Outcome>("stored") },
  { weight: 1, arbitrary: fc.constantFrom<Outcome>("rejected", "lost before", "lost after") },
);

/** A server that stores each nonce once, behind a network that loses calls and responses. */
class Server {
  readonly stored = new Map<string, Message>();
  readonly calls: Params<"message.send">[] = [];
  readonly #outcomes: Outcome[];

  constructor(outcomes: Outcome[]) {
    this.#outcomes = [...outcomes];
  }

  async send(params: Params<"message.send">): Promise<Message> {
    this.calls.push({ ...params });
    const outcome = this.#outcomes.shift() ?? "stored";
    await setImmediate();
    if (outcome === "lost before") throw localError("CONNECTION_LOST", "before");
    if (outcome === "rejected") {
      const data = { retryAfterMs: 1 };
      throw new FanfareError({ type: "OVERLOADED", message: "", data, retryable: true, requestId: "" });
    }
    const message = this.stored.get(params.nonce) ?? this.#store(params);
    if (outcome === "lost after") throw localError("CONNECTION_LOST", "after");
    return message;
  }

  #store({ content, nonce }: Params<"message.send">): Message {
    const message = { seq: this.stored.size + 1, content, nonce } as Message;
    this.stored.set(nonce, message);
    return message;
  }
}

test("messages are stored once and in order despite errors and loss", async () => {
  const texts = fc.integer({ min: 1, max: 40 });
  const property = fc.asyncProperty(texts, fc.array(outcome, { maxLength: 60 }), async (count, outcomes) => {
    const server = new Server(outcomes);
    const outbox = new Outbox({
      channelId: "c".repeat(24),
      backoff: { baseMs: 1, maxMs: 2 },
      giveUpAfterMs: 60_000,
      send: (params) => server.send(params),
      onChange: () => undefined,
    });
    const contents = Array.from({ length: count }, (_, i) => `${i}`);
    const sent = await Promise.all(contents.map((content) => outbox.push(content)));
    expect(sent.map(({ content }) => content)).toEqual(contents);
    expect([...server.stored.values()]).toEqual(sent);
    expect(outbox.pending).toEqual([]);
    expect(sent.map(({ seq }) => seq)).toEqual(sent.map((_, i) => i + 1));
    // Retries of a call that may have been executed must set `resend`.
    const tried = new Set<string>();
    const unmarked: string[] = [];
    for (const [i, { nonce, resend }] of server.calls.entries()) {
      if (tried.has(nonce) && resend !== true) unmarked.push(nonce);
      if (outcomes[i] === "lost after" || outcomes[i] === "lost before") tried.add(nonce);
    }
    expect(unmarked).toEqual([]);
  });
  await fc.assert(property, { numRuns: 200 });
});

test("a message that can't be sent for too long fails with the last error", async () => {
  const outbox = new Outbox({
    channelId: "c".repeat(24),
    backoff: { baseMs: 1, maxMs: 2 },
    giveUpAfterMs: 20,
    send: () => Promise.reject(localError("CONNECTION_LOST", "The server cannot be reached.")),
    onChange: () => undefined,
  });
  await expect(outbox.push("lost")).rejects.toMatchObject({ type: "CONNECTION_LOST" });
  expect(outbox.pending).toEqual([]);
});

test("slow mode: waits for a short delay, reports a long one immediately, and keeps the options", async () => {
  const calls: Params<"message.send">[] = [];
  const outboxWithDelay = (retryAfterMs: number) =>
    new Outbox({
      channelId: "c".repeat(24),
      backoff: { baseMs: 1, maxMs: 2 },
      giveUpAfterMs: 1000,
      send: (params) => {
        calls.push({ ...params });
        if (calls.length === 2) return Promise.resolve({ nonce: params.nonce } as Message);
        const data = { retryAfterMs };
        return Promise.reject(
          new FanfareError({ type: "SLOW_MODE", message: "wait", data, retryable: true, requestId: "1" }),
        );
      },
      onChange: () => undefined,
    });
  await outboxWithDelay(5).push("soon", { mentionAuthor: false });
  expect(calls[1]).toEqual({ ...calls[0], content: "soon", mentionAuthor: false });
  const late = outboxWithDelay(60_000);
  await expect(late.push("late")).rejects.toMatchObject({ type: "SLOW_MODE" });
  expect(late.pending).toEqual([]);
});

test("after close, waiting and later messages fail, and nothing is retried", async () => {
  let calls = 0;
  const outbox = new Outbox({
    channelId: "c".repeat(24),
    backoff: { baseMs: 20, maxMs: 20 },
    giveUpAfterMs: 60_000,
    send: () => {
      calls += 1;
      return Promise.reject(localError("CONNECTION_LOST", "The server cannot be reached."));
    },
    onChange: () => undefined,
  });
  const waiting = outbox.push("waiting");
  await setImmediate();
  outbox.close();
  await expect(waiting).rejects.toMatchObject({ type: "CLOSED" });
  await expect(outbox.push("late")).rejects.toMatchObject({ type: "CLOSED" });
  await setTimeout(50);
  expect(calls).toBe(1);
});
