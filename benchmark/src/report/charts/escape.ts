const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** For text and attributes of HTML and SVG. */
export function escape(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ENTITIES[character]!);
}
