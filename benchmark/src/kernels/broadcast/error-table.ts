/** Counts errors by phase and code. Codes are the server's or the system's own. */
export class ErrorTable {
  readonly #counts = new Map<string, { phase: string; code: string; count: number }>();

  add(phase: string, code: string, count = 1): void {
    const key = `${phase} ${code}`;
    const row = this.#counts.get(key);
    if (row) row.count += count;
    else this.#counts.set(key, { phase, code, count });
  }

  /** @param counts by code */
  addAll(phase: string, counts: Readonly<Record<string, number>>): void {
    for (const [code, count] of Object.entries(counts)) this.add(phase, code, count);
  }

  rows(): { phase: string; code: string; count: number }[] {
    return [...this.#counts.values()].sort((a, b) => b.count - a.count);
  }
}
