import { FanfareClient, type ChannelView } from "@fanfare/client";
import { taggedIndex } from "../../receivers/message-tag.ts";
import type { Tally } from "../../receivers/tally.ts";
import { joined } from "../broadcast/broadcast-summary.ts";
import { nowMs } from "../broadcast/clock.ts";
import { percentiles, type Percentiles } from "../broadcast/percentiles.ts";
import type { SentMessage } from "../broadcast/sent-messages.ts";

interface SdkMemberOptions {
  url: string;
  runId: string;
  /** The invite code of the group, and its channel. */
  code: string;
  channelId: string;
  signal: AbortSignal;
}

/** A real member with the SDK, which keeps its copy of the channel exact. */
export class SdkMember {
  /** When each message of the run first appeared in the copy. */
  readonly arrivals = new Map<number, number>();
  readonly #client: FanfareClient;
  readonly #view: ChannelView;

  private constructor(client: FanfareClient, view: ChannelView, runId: string) {
    this.#client = client;
    this.#view = view;
    view.subscribe(({ messages }) => {
      const atMs = nowMs();
      for (let i = messages.length - 1; i >= Math.max(0, messages.length - NEWEST); i--) {
        const index = taggedIndex(runId, messages[i]!.content);
        if (index >= 0 && !this.arrivals.has(index)) this.arrivals.set(index, atMs);
      }
    });
  }

  /** Registers, joins the group, and connects. */
  static async open({ url, runId, code, channelId, signal }: SdkMemberOptions): Promise<SdkMember> {
    signal.throwIfAborted();
    const client = new FanfareClient({ url });
    await client.createGuest();
    await client.call("invite.accept", { code });
    await client.connect();
    const member = new SdkMember(client, client.channel(channelId), runId);
    await member.#view.load();
    return member;
  }

  get isOnline(): boolean {
    return this.#client.state === "online";
  }

  /** Resolves when it is acknowledged; the SDK retries with the same nonce as long as that can help. */
  async send(content: string): Promise<void> {
    await this.#view.send(content);
  }

  /** The ids of all messages of the channel in this copy. */
  async messageIds(): Promise<string[]> {
    while (this.#view.snapshot.hasOlder) await this.#view.loadBefore();
    return this.#view.messages.map(({ id }) => id);
  }

  close(): void {
    this.#client.close();
  }
}

/** How far from the end of the copy a new message can appear. */
const NEWEST = 500;

/** Which light and SDK members have which message. */
export class StormArrivals {
  readonly #tally: Tally;
  readonly #sdk: readonly SdkMember[];

  constructor(tally: Tally, sdk: readonly SdkMember[]) {
    this.#tally = tally;
    this.#sdk = sdk;
  }

  /** Members that do not have the message. */
  missing({ index }: SentMessage): number {
    const { receivers, received } = this.#tally.memory;
    const sdk = this.#sdk.filter(({ arrivals }) => !arrivals.has(index)).length;
    return receivers - Atomics.load(received, index) + sdk;
  }

  /** Milliseconds from the intended sending until the last member had it; null: it did not reach everyone. */
  untilLast(message: SentMessage): number | null {
    const { index, sentAtMs } = message;
    const light = this.#tally.memory.receivers === 0 ? 0 : this.#tally.untilLast(index, sentAtMs);
    if (light === null) return null;
    const sdk = this.#sdk.map(({ arrivals }) => arrivals.get(index));
    if (sdk.includes(undefined)) return null;
    return Math.max(light, ...sdk.map((atMs) => atMs! - sentAtMs));
  }

  /** Of all deliveries of the messages to light members. */
  latencies(messages: readonly SentMessage[]): Percentiles | null {
    const parts = messages.map(({ index, sentAtMs }) => this.#tally.latencies(index, sentAtMs));
    return percentiles(joined(parts));
  }

  recovered(messages: readonly SentMessage[]): number {
    return messages.reduce((sum, { index }) => sum + this.#tally.recovered(index), 0);
  }

  duplicates(messages: readonly SentMessage[]): number {
    const { duplicates } = this.#tally.memory;
    return messages.reduce((sum, { index }) => sum + Atomics.load(duplicates, index), 0);
  }
}
