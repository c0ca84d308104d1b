import { FanfareClient } from "@fanfare/client";
import { nowMs } from "../kernels/broadcast/clock.ts";
import { taggedIndex } from "../receivers/message-tag.ts";
import type { Tally } from "../receivers/tally.ts";

interface SdkMemberOptions {
  /** The gateways, the first one first. */
  urls: readonly string[];
  runId: string;
  /** The invite code of the group, and its channel. */
  code: string;
  channelId: string;
  /** Where it records when each message first appeared in its copy, as this receiver. */
  tally: Tally;
  receiver: number;
  /** How long it retries a message. */
  sendGiveUpMs: number;
  signal: AbortSignal;
}

export type SdkMember = Awaited<ReturnType<typeof openSdkMember>>;

/** How far from the end of the copy a new message can appear. */
const NEWEST = 500;

/** Registers and connects a real member with the SDK, which keeps its copy of the channel exact. */
export async function openSdkMember(options: SdkMemberOptions) {
  const { urls, runId, code, channelId, tally, receiver, sendGiveUpMs, signal } = options;
  signal.throwIfAborted();
  const client = new FanfareClient({ url: urls, sendGiveUpMs });
  await client.createGuest();
  await client.call("invite.accept", { code });
  await client.connect();
  const view = client.channel(channelId);
  view.subscribe(({ messages }) => {
    const atMs = nowMs();
    for (const { content } of messages.slice(-NEWEST))
      tally.record(receiver, taggedIndex(runId, content), atMs);
  });
  await view.load();
  return {
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
