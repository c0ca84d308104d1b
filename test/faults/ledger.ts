import type { Message } from "@fanfare/contract";

/** What a sender knows of one of its messages. */
export interface LedgerEntry {
  readonly channelId: string;
  readonly authorId: string;
  /** Unique in the run. */
  readonly text: string;
  /** As the server acknowledged it; undefined until then. */
  acknowledged?: Message;
  /** Its possible texts: more than one if an edit was not answered. */
  texts: string[];
  deleted: "no" | "maybe" | "yes";
  /** What happened to it, for finding the cause of a violation. */
  readonly history: string[];
}

/** Everything sent since the last check. */
export class Ledger {
  #entries: LedgerEntry[] = [];
  #count = 0;

  get entries(): readonly LedgerEntry[] {
    return this.#entries;
  }

  add(channelId: string, authorId: string, kind: string): LedgerEntry {
    this.#count += 1;
    const text = `${kind} ${this.#count}`;
    const entry: LedgerEntry = { channelId, authorId, text, texts: [text], deleted: "no", history: [] };
    note(entry, "sent");
    this.#entries.push(entry);
    return entry;
  }

  clear(): void {
    this.#entries = [];
  }
}

export function note(entry: LedgerEntry, what: string): void {
  entry.history.push(`${new Date().toISOString()} ${what}`);
}
