/** Generated from emojibase by build/emoji-data.ts. */
declare module "virtual:emoji/*" {
  import type { EmojiIndex } from "./emoji-index.ts";

  const index: EmojiIndex;
  export default index;
}
