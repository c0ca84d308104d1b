const characters = new Intl.Segmenter();

/** The first character as people see it: an emoji may be several code points. */
export function initial(name: string): string {
  return characters.segment(name.trim()).containing(0)?.segment.toUpperCase() ?? "";
}

/** A number below `count`, always the same for an id. */
export function tintOf(id: string, count: number): number {
  let hash = 0;
  for (const character of id) hash = (hash * 31 + character.codePointAt(0)!) >>> 0;
  return hash % count;
}
