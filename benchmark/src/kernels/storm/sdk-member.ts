import { FanfareClient, type ChannelView } from "@fanfare/client";
import { nowMs } from "../broadcast/clock.ts";
import { taggedIndex } from "../../receivers/message-tag.ts";

export interface SdkMemberOptions {
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
