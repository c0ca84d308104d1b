import { memo, useMemo } from "react";
import { lex } from "./lex.ts";
import { Blocks } from "./blocks.tsx";
import "./markdown.css";

/** More than so many are text again. */
const MAX_BIG = 27;

const EMOJI = /\p{RGI_Emoji}/gv;

/** The text of a message. What it says is never HTML: tokens become elements, and nothing else does. */
export const Markdown = memo(function Markdown({ content }: { content: string }) {
  const tokens = useMemo(() => lex(content), [content]);
  return (
    <div className={isEmojiOnly(content) ? "markdown markdown-big" : "markdown"} dir="auto">
      <Blocks tokens={tokens} />
    </div>
  );
});

/** Whether a message is nothing but a few emoji, which are then shown big. */
function isEmojiOnly(content: string): boolean {
  const rest = content.replace(EMOJI, "");
  if (rest.trim() !== "") return false;
  const count = content.match(EMOJI)?.length ?? 0;
  return count > 0 && count <= MAX_BIG && !/^[\d#*\s]*$/.test(content);
}
