import { documentId } from "../src/document-id.ts";
import type { Change, CommitStore, InsertFault, KnownHead, Take } from "../src/commit/store.ts";
import type { MessageDocument } from "../src/message.model.ts";

/** What happens at a call: nothing, or a wait or an error from the test. */
type Hook = (() => Promise<void> | void) | undefined;

/** The group commit's store in memory, where each step can be held up or made to fail. */
export class MemoryStore implements CommitStore {
  readonly heads = new Map<string, { seq: number; rev: number }>();
  readonly messages: MessageDocument[] = [];
  /** The sizes of the inserts, in order. */
  readonly inserts: number[] = [];
  readonly calls: string[] = [];
  beforeTake: Hook;
  beforeInsert: Hook;
  afterInsert: Hook;
  beforeChange: Hook;

  readHeads(channelIds: readonly string[]): Promise<Map<string, KnownHead>> {
    this.calls.push("readHeads");
    const heads = channelIds.map((id): [string, KnownHead] => {
      const head = this.heads.get(id);
      return [id, { seq: 0, rev: 0, ...head, exists: head !== undefined, finished: [] }];
    });
    return Promise.resolve(new Map(heads));
  }

  async takeNumbers(_batchId: string, _at: Date, takes: readonly Take[]): Promise<Set<string>> {
    this.calls.push("takeNumbers");
    await this.beforeTake?.();
    const elsewhere = new Set<string>();
    for (const { channelId, from, seqs, revs } of takes) {
      if ((this.heads.get(channelId)?.rev ?? 0) !== from.rev) elsewhere.add(channelId);
      else this.heads.set(channelId, { seq: from.seq + seqs, rev: from.rev + revs });
    }
    return elsewhere;
  }

  async insert(messages: readonly MessageDocument[]): Promise<Map<number, InsertFault>> {
    this.calls.push("insert");
    this.inserts.push(messages.length);
    await this.beforeInsert?.();
    const faults = new Map<number, InsertFault>();
    for (const [i, message] of messages.entries()) {
      const channel = this.messages.filter((other) => other.channelId.equals(message.channelId));
      if (channel.some(({ seq }) => seq === message.seq)) faults.set(i, "seq exists");
      else if (channel.some((other) => isSameNonce(other, message))) faults.set(i, "nonce exists");
      else this.messages.push(message);
    }
    await this.afterInsert?.();
    return faults;
  }

  async change({ messageId, rev, set }: Change): Promise<MessageDocument | null> {
    await this.beforeChange?.();
    const place = this.messages.findIndex((one) => documentId(one) === messageId);
    const message = this.messages[place];
    if (message === undefined || message.deletedAt !== null || message.rev >= rev) return null;
    return (this.messages[place] = { ...message, ...set, rev });
  }

  findDurable(channelId: string, authorId: string, nonce: string): Promise<MessageDocument | null> {
    const found = this.messages.find(
      (one) => one.channelId.equals(channelId) && one.authorId.equals(authorId) && one.nonce === nonce,
    );
    return Promise.resolve(found ?? null);
  }

  heal(channelId: string): Promise<void> {
    this.calls.push("heal");
    const channel = this.messages.filter((one) => one.channelId.equals(channelId));
    const head = this.heads.get(channelId) ?? { seq: 0, rev: 0 };
    const seq = Math.max(head.seq, ...channel.map((one) => one.seq));
    const rev = Math.max(head.rev, ...channel.map((one) => one.rev));
    this.heads.set(channelId, { seq, rev });
    return Promise.resolve();
  }

  settle(_channelIds: readonly string[], revs: ReadonlyMap<string, number>): Promise<MessageDocument[]> {
    this.calls.push("settle");
    return Promise.resolve(this.messages.filter((one) => revs.get(documentId(one)) === one.rev));
  }
}

function isSameNonce(a: MessageDocument, b: MessageDocument): boolean {
  return a.nonce === b.nonce && a.authorId.equals(b.authorId);
}
