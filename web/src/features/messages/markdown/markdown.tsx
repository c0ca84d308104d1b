import { memo, useMemo } from "react";
import { isEmojiOnly } from "./emoji-only.ts";
import { lex } from "./lex.ts";
import { Blocks } from "./blocks.tsx";
import "./markdown.css";

/** The text of a message. What it says is never HTML: tokens become elements, and nothing else does. */
export const Markdown = memo(function Markdown({ content }: { content: string }) {
  const tokens = useMemo(() => lex(content), [content]);
  return (
    <div className={isEmojiOnly(content) ? "markdown markdown-big" : "markdown"} dir="auto">
      <Blocks tokens={tokens} />
    </div>
  );
});
