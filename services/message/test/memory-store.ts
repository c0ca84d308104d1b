import type { Head } from "@fanfare/contract";
import type { Change, ChangeOutcome, CommitStore, InsertFault, Sent } from "../src/commit/database-store.ts";
import { documentId, type MessageDocument } from "../src/message.model.ts";

/** Lets a test delay or fail a call. */
type Hook = (() => Promise<void> | void) | undefined;

/** The messages of all workers, with the unique indexes of the database. */
export class MemoryDatabase {
  readonly messages: MessageDocument[] = [];
  /** Heads shown in channel lists. */
  readonly heads = new Map<string, Head>();

  ofChannel(channelId: string): MessageDocument[] {
    return this.messages.filter((one) => one.channelId.equals(channelId));
  }

  head(channelId: string): Head {
    const channel = this.ofChannel(channelId);
    return {
      seq: Math.max(0, ...channel.map(({ seq }) => seq)),
      rev: Math.max(0, ...channel.map(({ rev }) => rev)),
    };
  }

  insert(message: MessageDocument): InsertFault | undefined {
    for (const other of this.ofChannel(message.channelId.toHexString())) {
      if (other.seq === message.seq || other.revs.includes(message.rev)) return { reason: "numberTaken" };
      if (other.nonce === message.nonce && other.authorId.equals(message.authorId))
        return { reason: "nonceExists" };
    }
    this.messages.push(message);
    return undefined;
  }

  change({ channelId, messageId, rev, set, ifRev }: Change): ChangeOutcome {
    const message = this.messages.find((one) => documentId(one) === messageId);
    if (message === undefined || message.deletedAt !== null) return { outcome: "gone" };
    if (ifRev !== undefined && message.rev !== ifRev) return { outcome: "outdated" };
    if (this.ofChannel(channelId).some(({ revs }) => revs.includes(rev)) || message.rev >= rev) {
      return { outcome: "numberTaken" };
    }
    Object.assign(message, set, { rev, revs: [...message.revs, rev] });
    return { outcome: "changed", message: { ...message } };
  }
}

/** One worker's access to the database, where each step can be delayed or made to fail. */
export class MemoryStore implements CommitStore {
  readonly database: MemoryDatabase;
  /** The sizes of the inserts, in order. */
  readonly inserts: number[] = [];
  readonly calls: string[] = [];
  beforeRead: Hook;
  beforeInsert: Hook;
  /** After each message of an insert: what fails here leaves the rest unwritten. */
  afterEach: Hook;
  afterInsert: Hook;
  beforeChange: Hook;
  afterChange: Hook;
  beforeRaise: Hook;

  constructor(database = new MemoryDatabase()) {
    this.database = database;
  }

  async readHead(channelId: string): Promise<Head> {
    this.calls.push("readHead");
    await this.beforeRead?.();
    return this.database.head(channelId);
  }

  async insert(messages: readonly MessageDocument[], ordered: boolean): Promise<Map<number, InsertFault>> {
    this.calls.push(ordered ? "insert ordered" : "insert");
    this.inserts.push(messages.length);
    await this.beforeInsert?.();
    const faults = new Map<number, InsertFault>();
    for (const [i, message] of messages.entries()) {
      const fault = this.database.insert(message);
      if (fault !== undefined) faults.set(i, fault);
      if (fault !== undefined && ordered) break;
      await this.afterEach?.();
    }
    await this.afterInsert?.();
    return faults;
  }

  async change(change: Change): Promise<ChangeOutcome> {
    this.calls.push("change");
    await this.beforeChange?.();
    const changed = this.database.change(change);
    await this.afterChange?.();
    return changed;
  }

  async raiseHeads(heads: ReadonlyMap<string, Head>): Promise<void> {
    await this.beforeRaise?.();
    for (const [channelId, { seq, rev }] of heads) {
      const before = this.database.heads.get(channelId) ?? { seq: 0, rev: 0 };
      const head = { seq: Math.max(before.seq, seq), rev: Math.max(before.rev, rev) };
      this.database.heads.set(channelId, head);
    }
  }

  findByNonce(channelId: string, { authorId, nonce }: Sent): Promise<MessageDocument | null> {
    const found = this.database
      .ofChannel(channelId)
      .find((one) => one.authorId.equals(authorId) && one.nonce === nonce);
    return Promise.resolve(found ?? null);
  }
}
