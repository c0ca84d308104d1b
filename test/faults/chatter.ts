import { setTimeout as delay } from "node:timers/promises";
import type { Crowd } from "./crowd.ts";
import type { LedgerEntry } from "./ledger.ts";
import type { Member } from "./member.ts";

/** Share of each in a member's actions: the rest are messages. */
const EDITS = 0.15;
const DELETES = 0.07;
const PAUSE_MS = { from: 250, to: 750 };
/** A member with this many unanswered calls waits before it writes more. */
const MAX_WAITING = 30;

/** All members write, edit and delete at a steady rate until it is stopped. */
export class Chatter {
  readonly #crowd: Crowd;
  #loops: Promise<void>[] = [];
  #stopped = true;

  constructor(crowd: Crowd) {
    this.#crowd = crowd;
  }

  start(): void {
    this.#stopped = false;
    this.#loops = this.#crowd.members.map((member) => this.#chat(member));
  }

  /** Resolves when every call has been answered, or given up by the SDK. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#loops);
  }

  async #chat(member: Member): Promise<void> {
    const waiting = new Set<Promise<unknown>>();
    const own: LedgerEntry[] = [];
    while (!this.#stopped) {
      await delay(PAUSE_MS.from + Math.random() * (PAUSE_MS.to - PAUSE_MS.from));
      if (waiting.size >= MAX_WAITING) continue;
      const work: Promise<unknown> = this.#act(member, own).finally(() => waiting.delete(work));
      waiting.add(work);
    }
    await Promise.all(waiting);
  }

  async #act(member: Member, own: LedgerEntry[]): Promise<void> {
    const dice = Math.random();
    // Each message is changed once: of two concurrent changes it would be unknown which comes last.
    const entry =
      dice < EDITS + DELETES ? own.splice(Math.floor(Math.random() * own.length), 1)[0] : undefined;
    if (entry !== undefined) {
      if (dice < EDITS) await member.edit(entry, `${entry.text}, edited`);
      else await member.delete(entry);
      return;
    }
    const rooms = this.#crowd.roomsOf(member);
    const { channelId } = rooms[Math.floor(Math.random() * rooms.length)]!;
    const sent = await member.send(channelId, "message");
    if (sent.acknowledged !== undefined) own.push(sent);
    if (own.length > MAX_WAITING) own.shift();
  }
}
