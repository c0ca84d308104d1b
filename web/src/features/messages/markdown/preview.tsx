import { memo, useMemo } from "react";
import { Inline, Plain } from "./inline.tsx";
import { lex } from "./lex.ts";
import { plainText } from "./plain-text.ts";

/** A text in one line: of what is replied to, in lists, in what is read out. Nothing in it can be pressed. */
export const MarkdownPreview = memo(function MarkdownPreview({ content }: { content: string }) {
  const text = useMemo(() => plainText(lex(content.slice(0, 500))), [content]);
  return (
    <Plain>
      <Inline tokens={[{ type: "text", raw: text, text }]} />
    </Plain>
  );
});
