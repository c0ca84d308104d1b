/** What the choice of the large picture depends on. */
export interface Choosable {
  key: string;
  isOwn: boolean;
  isScreen: boolean;
  isSpeaking: boolean;
}

/**
 * The tile that the speaker layout shows large: the pinned one, a shared screen, who speaks, who spoke last, or anyone but the user.
 * @param lastKey the one that was large before
 */
export function largeTile<T extends Choosable>(
  tiles: readonly T[],
  pinnedKey: string | null,
  lastKey: string | null,
): T | undefined {
  const others = tiles.filter(({ isOwn }) => !isOwn);
  return (
    tiles.find(({ key }) => key === pinnedKey) ??
    others.find(({ isScreen }) => isScreen) ??
    tiles.find(({ isScreen }) => isScreen) ??
    others.find(({ key, isSpeaking }) => isSpeaking && key === lastKey) ??
    others.find(({ isSpeaking }) => isSpeaking) ??
    others.find(({ key }) => key === lastKey) ??
    others[0] ??
    tiles[0]
  );
}

/** The shape of a picture, width to height. */
const SHAPE = 16 / 9;

/** How many columns make the pictures of a grid the largest. */
export function gridColumns(count: number, width: number, height: number): number {
  let best = 1;
  let bestWidth = 0;
  for (let columns = 1; columns <= count; columns++) {
    const rows = Math.ceil(count / columns);
    const tileWidth = Math.min(width / columns, (height / rows) * SHAPE);
    if (tileWidth > bestWidth + 1) [best, bestWidth] = [columns, tileWidth];
  }
  return best;
}
