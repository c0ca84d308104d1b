/** What an import has made, and what it has left out or changed, with the reason. */
export class Report {
  readonly #imported = new Map<string, number>();
  readonly #notes = new Map<string, { what: string; count: number; why: string }>();

  add(what: string, count = 1): void {
    if (count === 0) return;
    this.#imported.set(what, (this.#imported.get(what) ?? 0) + count);
  }

  /** @param what and `why` are texts of the program, never of an export */
  note(what: string, why: string, count = 1): void {
    if (count === 0) return;
    const known = this.#notes.get(what) ?? { what, count: 0, why };
    known.count += count;
    this.#notes.set(what, known);
  }

  toJSON(): { imported: Record<string, number>; notes: { what: string; count: number; why: string }[] } {
    return { imported: Object.fromEntries(this.#imported), notes: [...this.#notes.values()] };
  }

  /** @param isDone whether something was imported */
  toText(isDone: boolean): string {
    const imported = [...this.#imported].map(([what, count]) => [String(count), what]);
    const notes = [...this.#notes.values()].map(({ what, count, why }) => [String(count), what, why]);
    return [
      isDone ? "Imported:" : "Would be imported:",
      ...aligned(imported),
      ...(notes.length === 0 ? [] : ["", "Left out or changed:", ...aligned(notes)]),
    ].join("\n");
  }
}

/** Numbers are aligned to the right, texts to the left. */
function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths = rows.reduce<number[]>(
    (most, row) => row.map((cell, index) => Math.max(most[index] ?? 0, cell.length)),
    [],
  );
  return rows.map((row) => {
    const cells = row.map((cell, index) =>
      index === 0 ? cell.padStart(widths[index]!) : cell.padEnd(widths[index]!),
    );
    return `  ${cells.join("  ").trimEnd()}`;
  });
}
