import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { allocateConnections, ReceiverGroup } from "./receiver-group.ts";
import type { OpenReceiver } from "./receiver.ts";

const FAILURE_MS = 50;

test("failed attempts are part of the time until a member is online", async () => {
  const connections = allocateConnections(1);
  let attempts = 0;
  const open: OpenReceiver = ({ receiver }, observer) => {
    const isFailing = attempts++ === 0;
    void sleep(isFailing ? FAILURE_MS : 0).then(() =>
      isFailing ? observer.ended(receiver, "ECONNRESET") : observer.online(receiver),
    );
    return { close: () => observer.ended(receiver, "CLOSED"), destroy: () => {} };
  };
  const group = new ReceiverGroup({
    open,
    tally: { record: () => false },
    connections,
    window: 1,
    timeoutMs: 5000,
    onComplete: () => {},
  });
  await group.connect([{ receiver: 0, credential: null, localAddress: undefined, server: 0 }]);
  expect(group.errors).toEqual({ ECONNRESET: 1 });
  // Node's timers are up to 1 ms early by the monotonic clock.
  expect(connections.onlineMs[0]).toBeGreaterThanOrEqual(FAILURE_MS - 1);
  await group.close();
});

test("a member that lost its connection reconnects with its renewed credential", async () => {
  const used: (string | null)[] = [];
  const open: OpenReceiver = ({ receiver, credential }, observer) => {
    used.push(credential);
    queueMicrotask(() => observer.online(receiver));
    return { close: () => observer.ended(receiver, "CLOSED"), destroy: () => {} };
  };
  const connections = allocateConnections(1);
  const group = new ReceiverGroup({
    open,
    tally: { record: () => false },
    connections,
    window: 1,
    timeoutMs: 60_000,
    onComplete: () => {},
    roaming: { drain: () => 0, waitMs: () => 0, elsewhere: (assignment) => assignment },
  });
  await group.connect([{ receiver: 0, credential: "first", localAddress: undefined, server: 0 }]);
  group.renew(["second"]);
  group.ended(0, "CLOSED");
  await expect.poll(() => used).toEqual(["first", "second"]);
  await group.close();
});
