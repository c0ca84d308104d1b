import { type ComponentType, createContext, memo, type MouseEvent, useMemo } from "react";
import { lex } from "./lex.ts";
import { Blocks } from "./blocks.tsx";
import "./markdown.css";
import { Inline, Plain } from "./inline.tsx";
import { plainText } from "./text-parts.ts";

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

export interface MentionProps {
  id: string;
  /** Inside of a link, or where nothing can be pressed: a text only. */
  plain: boolean;
}

/** What a text needs to know of the world around it. */
export interface MarkdownParts {
  User: ComponentType<MentionProps>;
  Role: ComponentType<MentionProps>;
  Channel: ComponentType<MentionProps>;
  /** The link of this instance's own that an address is: it is shown in this window. */
  ownPath: (url: URL) => string | null;
  /** Called before a link is followed; may prevent it. */
  onFollow: (event: MouseEvent<HTMLAnchorElement>, url: URL) => void;
}

export const MarkdownContext = createContext<MarkdownParts>({
  User: () => "@…",
  Role: () => "@…",
  Channel: () => "#…",
  ownPath: () => null,
  onFollow: () => undefined,
});

/** A text in one line: of what is replied to, in lists, in what is read out. Nothing in it can be pressed. */
export const MarkdownPreview = memo(function MarkdownPreview({ content }: { content: string }) {
  const text = useMemo(() => plainText(lex(content.slice(0, 500))), [content]);
  return (
    <Plain>
      <Inline tokens={[{ type: "text", raw: text, text }]} />
    </Plain>
  );
});
