import { Fragment, type ReactNode, createContext, useContext } from "react";
import type { Token, Tokens } from "./lex.ts";
import { MarkdownContext } from "./markdown-context.ts";
import { MarkdownLink } from "./markdown-link.tsx";
import { Spoiler } from "./spoiler.tsx";
import { type TextPart, textParts, withoutOverrides } from "./text-parts.ts";

/** Links and buttons hold no links and buttons. */
const PlainContext = createContext(false);

export function Plain({ children }: { children: ReactNode }): ReactNode {
  return <PlainContext value>{children}</PlainContext>;
}

/** Emphasis, links, mentions … in one line of text. */
export function Inline({ tokens }: { tokens: readonly Token[] }): ReactNode {
  return tokens.map((token, index) => {
    const before = tokens[index - 1]?.raw.slice(-1) ?? "";
    return <Piece key={index} token={token} before={before} />;
  });
}

function Piece({ token, before }: { token: Tokens.Generic; before: string }): ReactNode {
  const plain = useContext(PlainContext);
  const children = <Inline tokens={token.tokens ?? []} />;
  switch (token.type) {
    case "text":
      return token.tokens === undefined ? (
        <TextParts text={String(token["text"])} before={before} />
      ) : (
        children
      );
    case "escape":
      return String(token["text"]);
    case "strong":
      return <strong>{children}</strong>;
    case "em":
      return <em>{children}</em>;
    case "del":
      return <del>{children}</del>;
    case "codespan":
      return <code>{withoutOverrides(String(token["text"]))}</code>;
    case "br":
      return <br />;
    case "checkbox":
      return (token as Tokens.Checkbox).checked ? "☑ " : "☐ ";
    case "spoiler":
      return plain ? children : <Spoiler tokens={token.tokens ?? []}>{children}</Spoiler>;
    case "link":
    case "image":
      if (plain) return <TextParts text={String(token["text"])} before={before} />;
      return (
        <MarkdownLink token={token as Tokens.Link | Tokens.Image}>
          <Plain>{children}</Plain>
        </MarkdownLink>
      );
    default:
      return withoutOverrides(token.raw);
  }
}

function TextParts({ text, before }: { text: string; before: string }): ReactNode {
  return textParts(text, before).map((part, index) => (
    <Fragment key={index}>{typeof part === "string" ? part : <Mention part={part} />}</Fragment>
  ));
}

function Mention({ part }: { part: Exclude<TextPart, string> }): ReactNode {
  const { User, Role, Channel } = useContext(MarkdownContext);
  const plain = useContext(PlainContext);
  switch (part.type) {
    case "user":
      return <User id={part.id} plain={plain} />;
    case "role":
      return <Role id={part.id} plain={plain} />;
    case "channel":
      return <Channel id={part.id} plain={plain} />;
    case "everyone":
      return <span className="mention">{part.text}</span>;
  }
}
