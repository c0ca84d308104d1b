import { setTimeout as sleep } from "node:timers/promises";
import { addressOf } from "../../receivers/audience.ts";
import type { FanfareTarget } from "../../targets/fanfare/fanfare-target.ts";
import { nowMs } from "../broadcast/clock.ts";
import { Counted, counted, type RequestMemory } from "./request-memory.ts";
import { RequestThreads } from "./request-threads.ts";
import type { SendSetup } from "./send-operation.ts";

const POLL_MS = 20;

export type GroupSetup = Pick<SendSetup, "runId" | "tokens" | "payloadBytes" | "stalled">;

/** A thread of members who send to the run's group, without a limit of their own, and don't read what arrives. */
export async function groupSenders(
  target: Pick<FanfareTarget, "urls" | "dialect" | "meeting">,
  setup: GroupSetup,
  signal: AbortSignal,
): Promise<RequestThreads> {
  const full: SendSetup = {
    ...setup,
    urls: target.urls,
    addresses: await Promise.all(target.urls.map(addressOf)),
    dialect: target.dialect,
    warmUpRunId: setup.runId,
    localAddresses: [],
    maxUnanswered: Infinity,
    channelIds: [target.meeting.channelId],
    channelOf: new Int32Array(new SharedArrayBuffer(0)),
    deliveries: undefined,
  };
  const module = new URL("./send-operation.ts", import.meta.url);
  return new RequestThreads({ module, setup: full }, 1, signal);
}

/**
 * Resolves when everything that was sent is answered, or at the deadline.
 * @throws {Error} if the signal aborts
 */
export async function settled(memory: RequestMemory, deadlineMs: number, signal: AbortSignal): Promise<void> {
  do await sleep(POLL_MS, undefined, { signal });
  while (nowMs() < deadlineMs && counted(memory, Counted.settled) < counted(memory, Counted.made));
}
