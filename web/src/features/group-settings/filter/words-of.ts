/** Words and phrases, one on each line, without what is empty or there twice. */
export function wordsOf(text: string): string[] {
  const lines = text.split("\n").map((line) => line.trim());
  return [...new Set(lines)].filter((word) => word !== "");
}
