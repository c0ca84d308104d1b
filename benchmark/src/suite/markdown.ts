/**
 * A table in formatters' style: every column as wide as its widest cell, the first aligned left and the rest
 * right.
 */
export function markdownTable([head = [], ...rows]: readonly (readonly string[])[], left = 1): string {
  const all = [head, ...rows];
  const widths = head.map((_, i) => Math.max(3, ...all.map((row) => (row[i] ?? "").length)));
  const line = (row: readonly string[]) =>
    `| ${widths.map((width, i) => (i < left ? (row[i] ?? "").padEnd(width) : (row[i] ?? "").padStart(width))).join(" | ")} |`;
  const rule = widths.map((width, i) => (i < left ? "-".repeat(width) : `${"-".repeat(width - 1)}:`));
  return [line(head), `| ${rule.join(" | ")} |`, ...rows.map(line)].join("\n");
}
