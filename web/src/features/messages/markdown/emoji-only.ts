/** More than so many are text again. */
const MAX_BIG = 27;
const EMOJI = /\p{RGI_Emoji}/gv;

/** Whether a message is nothing but a few emoji, which are then shown big. */
export function isEmojiOnly(content: string): boolean {
  const rest = content.replace(EMOJI, "");
  if (rest.trim() !== "") return false;
  const count = content.match(EMOJI)?.length ?? 0;
  return count > 0 && count <= MAX_BIG && !/^[\d#*\s]*$/.test(content);
}
