import { emojiNamed, loadEmojiIndex } from "../emoji/emoji-index.ts";
import { editField } from "./edit-field.ts";
import { closedEmoji } from "./trigger.ts";

/** Puts the emoji in place of its name between colons, where that ends at the caret. */
export async function replaceClosedEmoji(field: HTMLTextAreaElement, language: string): Promise<void> {
  const named = closedEmoji(field.value, field.selectionStart);
  if (named === null) return;
  // Without the list of emoji it stays as it was written.
  const index = await loadEmojiIndex(language).catch(() => null);
  const emoji = index === null ? undefined : emojiNamed(index, named.name);
  const to = named.start + named.name.length + 2;
  const isStillThere = field.value.slice(named.start, to) === `:${named.name}:`;
  if (emoji === undefined || !isStillThere) return;
  const moved = field.selectionStart - to + named.start + emoji.length;
  editField(field, { from: named.start, to, insert: emoji, selectFrom: moved, selectTo: moved });
}
