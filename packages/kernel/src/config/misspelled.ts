import { VARIABLES } from "./secret-files.ts";

/** Of shorter names too many others are neighbours. */
const SHORTEST_CHARS = 7;
const LONG_CHARS = 10;

/**
 * Variables that are one slip away from a setting that is not set, each as a line for people. Other programs' variables are in every
 * environment: only a near miss is worth a word.
 */
export function misspelledSettings(variables: Record<string, string | undefined>): string[] {
  const isSet = (name: string): boolean => (variables[name] ?? "") !== "";
  const known = new Set(VARIABLES);
  const missing = VARIABLES.filter((name) => name.length >= SHORTEST_CHARS && !isSet(name));
  return Object.keys(variables)
    .filter((name) => !known.has(name) && isSet(name))
    .flatMap((name) => {
      const meant = missing.find((setting) => slips(name, setting) <= (setting.length < LONG_CHARS ? 1 : 2));
      return meant === undefined
        ? []
        : [`${name} is set, which is no setting of Fanfare: is ${meant} meant?`];
    });
}

/** How many characters are missing, too many, wrong, or in the place of their neighbour (optimal string alignment). */
function slips(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= a.length; row += 1) {
    const line = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const differs = a[row - 1] === b[column - 1] ? 0 : 1;
      const swapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      line[column] = Math.min(
        rows[row - 1]![column]! + 1,
        line[column - 1]! + 1,
        rows[row - 1]![column - 1]! + differs,
        swapped ? rows[row - 2]![column - 2]! + 1 : Infinity,
      );
    }
    rows.push(line);
  }
  return rows[a.length]![b.length]!;
}
