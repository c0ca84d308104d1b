/** Values by column. */
export type Row = Record<string, number>;

export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return ((sorted[(sorted.length - 1) >> 1] ?? NaN) + (sorted[sorted.length >> 1] ?? NaN)) / 2;
}

/** Prints rows by name, with each value as a multiple of the reference's in the same run. */
export function printTable(title: string, rows: Record<string, Row>, reference: string): void {
  const base = rows[reference];
  const shown = (value: number, column: string): string => {
    const digits = value < 100 ? 1 : 0;
    const times = base === undefined ? "" : ` (× ${(value / base[column]!).toFixed(2)})`;
    return value.toLocaleString("en", { maximumFractionDigits: digits }) + times;
  };
  const cells = Object.entries(rows).map(([name, row]) => [
    name,
    Object.fromEntries(Object.entries(row).map(([column, value]) => [column, shown(value, column)])),
  ]);
  console.log(`\n${title}\n`);
  console.table(Object.fromEntries(cells));
}
