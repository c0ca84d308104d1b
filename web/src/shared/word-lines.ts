/** The words of a text field with one per line, without empty lines and duplicates. */
export function wordsOf(text: string): string[] {
  const lines = text.split("\n").map((line) => line.trim());
  return [...new Set(lines)].filter((word) => word !== "");
}
