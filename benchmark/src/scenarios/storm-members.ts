import { FanfareClient } from "@fanfare/client";
import { joined } from "../kernels/broadcast/broadcast-summary.ts";
import { nowMs } from "../kernels/broadcast/clock.ts";
import { percentiles, sum, type Percentiles } from "../kernels/broadcast/percentiles.ts";
import type { SentMessage } from "../kernels/broadcast/sent-messages.ts";
import { taggedIndex } from "../receivers/message-tag.ts";
import type { Tally } from "../receivers/tally.ts";

interface SdkMemberOptions {
  /** The gateways, the first one first. */
  urls: readonly string[];
  runId: string;
  /** The invite code of the group, and its channel. */
  code: string;
  channelId: string;
  signal: AbortSignal;
}

export type SdkMember = Awaited<ReturnType<typeof openSdkMember>>;

/** How far from the end of the copy a new message can appear. */
const NEWEST = 500;

/** Registers and connects a real member with the SDK, which keeps its copy of the channel exact. */
export async function openSdkMember({ urls, runId, code, channelId, signal }: SdkMemberOptions) {
  signal.throwIfAborted();
  const client = new FanfareClient({ url: urls });
  await client.createGuest();
  await client.call("invite.accept", { code });
  await client.connect();
  const view = client.channel(channelId);
  const arrivals = new Map<number, number>();
  view.subscribe(({ messages }) => {
    const atMs = nowMs();
    for (const { content } of messages.slice(-NEWEST)) {
      const index = taggedIndex(runId, content);
      if (index >= 0 && !arrivals.has(index)) arrivals.set(index, atMs);
    }
  });
  await view.load();
  return {
    /** When each message of the run first appeared in the copy. */
    arrivals,
    get isOnline(): boolean {
      return client.state === "online";
    },
    /** Resolves when it is acknowledged; the SDK retries with the same nonce as long as that can help. */
    async send(content: string): Promise<void> {
      await view.send(content);
    },
    /** The ids of all messages of the channel in this copy. */
    async messageIds(): Promise<string[]> {
      while (view.snapshot.hasOlder) await view.loadBefore();
      return view.messages.map(({ id }) => id);
    },
    close: () => client.close(),
  };
}

/** Which light and SDK members have which message. */
export function stormArrivals(tally: Tally, sdk: readonly SdkMember[]) {
  const { receivers, received, duplicates } = tally.memory;
  return {
    /** Members that do not have the message. */
    missing({ index }: SentMessage): number {
      const without = sdk.filter(({ arrivals }) => !arrivals.has(index)).length;
      return receivers - Atomics.load(received, index) + without;
    },
    /** Milliseconds from the intended sending until the last member had it; null: it did not reach everyone. */
    untilLast({ index, sentAtMs }: SentMessage): number | null {
      const light = receivers === 0 ? 0 : tally.untilLast(index, sentAtMs);
      const times = sdk.map(({ arrivals }) => arrivals.get(index));
      if (light === null || times.includes(undefined)) return null;
      return Math.max(light, ...times.map((atMs) => atMs! - sentAtMs));
    },
    /** Of all deliveries of the messages to light members. */
    latencies: (messages: readonly SentMessage[]): Percentiles | null =>
      percentiles(joined(messages.map(({ index, sentAtMs }) => tally.latencies(index, sentAtMs)))),
    recovered: (messages: readonly SentMessage[]) => sum(messages.map(({ index }) => tally.recovered(index))),
    duplicates: (messages: readonly SentMessage[]) =>
      sum(messages.map(({ index }) => Atomics.load(duplicates, index))),
  };
}
