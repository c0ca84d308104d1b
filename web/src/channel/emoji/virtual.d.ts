/** By build/emoji-data.ts, from emojibase. */
declare module "virtual:emoji/*" {
  import type { EmojiIndex } from "./emoji-index.ts";

  const index: EmojiIndex;
  export default index;
}
