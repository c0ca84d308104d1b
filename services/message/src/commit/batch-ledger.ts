import { randomBytes } from "node:crypto";

/** The batches of this process whose outcome is not yet known. */
export class BatchLedger {
  readonly #worker = randomBytes(6).toString("hex");
  readonly #open = new Set<string>();
  #next = 0;

  /** @returns an id that no other worker uses, fit for the name of a field */
  open(): string {
    const batchId = `${this.#worker}-${(this.#next++).toString(36)}`;
    this.#open.add(batchId);
    return batchId;
  }

  close(batchId: string): void {
    this.#open.delete(batchId);
  }

  state(batchId: string): "open" | "closed" | "of another worker" {
    if (!batchId.startsWith(this.#worker)) return "of another worker";
    return this.#open.has(batchId) ? "open" : "closed";
  }
}
