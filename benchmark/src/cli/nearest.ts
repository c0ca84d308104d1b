/** More edits than this are another word, not a typing error. */
const MOST_EDITS = 3;

/** The most similar name; undefined: none is similar. */
export function nearest(word: string, names: readonly string[]): string | undefined {
  const [best] = names
    .map((name) => ({ name, edits: edits(word, name) }))
    .filter((one) => one.edits <= MOST_EDITS && one.edits < word.length)
    .sort((a, b) => a.edits - b.edits);
  return best?.name;
}

/** Insertions, deletions and substitutions that turn one into the other (Levenshtein). */
function edits(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, i) => i);
  for (const [i, letter] of from.split("").entries()) {
    const next = [i + 1];
    for (let j = 0; j < to.length; j++) {
      next.push(Math.min(row[j + 1]! + 1, next[j]! + 1, row[j]! + (letter === to[j] ? 0 : 1)));
    }
    row = next;
  }
  return row[to.length]!;
}
