import {
  Fragment,
  type ReactNode,
  createContext,
  useContext,
  useState,
  type ComponentProps,
  lazy,
  Suspense,
} from "react";
import { useTranslation } from "react-i18next";
import {
  type Token,
  type Tokens,
  plainText,
  pretends,
  safeUrl,
  type TextPart,
  textParts,
  withoutOverrides,
} from "./lex.ts";
import { EmojiSign } from "../../emoji/emoji-sign.tsx";
import { MarkdownContext } from "./markdown.tsx";
import { whenLoaded } from "../../../shared/when-loaded.ts";

/** Links and buttons can't be nested. */
const PlainContext = createContext(false);

export function Plain({ children }: { children: ReactNode }): ReactNode {
  return <PlainContext value>{children}</PlainContext>;
}

export function Inline({ tokens }: { tokens: readonly Token[] }): ReactNode {
  return tokens.map((token, index) => {
    const before = tokens[index - 1]?.raw.slice(-1) ?? "";
    return <Piece key={index} token={token} before={before} />;
  });
}

function Piece({ token, before }: { token: Tokens.Generic; before: string }): ReactNode {
  const plain = useContext(PlainContext);
  const { emoji } = useContext(MarkdownContext);
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
    case "math":
      return <MathText text={String(token["text"])} isBlock={false} />;
    case "br":
      return <br />;
    case "checkbox":
      return (token as Tokens.Checkbox).checked ? "☑\uFE0E " : "☐ ";
    case "emojiCode":
      return <EmojiSign emoji={token.raw} own={emoji} />;
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
  const { keywords } = useContext(MarkdownContext);
  return textParts(text, before).map((part, index) => (
    <Fragment key={index}>
      {typeof part === "string" ? highlighted(part, keywords) : <Mention part={part} />}
    </Fragment>
  ));
}

function highlighted(text: string, keywords: RegExp | null): ReactNode {
  if (keywords === null) return text;
  const pieces: ReactNode[] = [];
  let from = 0;
  for (const { 0: found, index } of text.matchAll(keywords)) {
    pieces.push(text.slice(from, index), <mark key={index}>{found}</mark>);
    from = index + found.length;
  }
  return [...pieces, text.slice(from)];
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

const TO_OTHER_SITE = { target: "_blank", rel: "noopener noreferrer nofollow ugc" };

interface ExternalLinkProps {
  url: URL;
  className: string;
  children: ReactNode;
}

/** A link of a message outside its text. */
export function ExternalLink({ url, className, children }: ExternalLinkProps) {
  const { onFollow } = useContext(MarkdownContext);
  return (
    <a href={url.href} {...TO_OTHER_SITE} className={className} onClick={(event) => onFollow(event, url)}>
      {children}
    </a>
  );
}

interface MarkdownLinkProps {
  token: Tokens.Link | Tokens.Image;
  children: ReactNode;
}

/**
 * A link if its address is safe, otherwise the original text. An image becomes a link too, since loading it would tell its server who
 * reads the message.
 */
function MarkdownLink({ token, children }: MarkdownLinkProps): ReactNode {
  const { ownPath, onFollow } = useContext(MarkdownContext);
  const url = safeUrl(token.href);
  if (url === null) return withoutOverrides(token.raw);
  const path = ownPath(url);
  const isEmpty = token.type === "image" || token.text.trim() === "";
  return (
    <a
      href={path ?? url.href}
      title={readableHref(url)}
      dir="auto"
      onClick={(event) => onFollow(event, url)}
      {...(path === null && TO_OTHER_SITE)}
    >
      {isEmpty ? withoutOverrides(token.text.trim()) || url.href : children}
      {pretends(token.text, url) && <span className="markdown-host"> ({url.hostname})</span>}
    </a>
  );
}

/** Without percent encoding, unless the decoded address has invisible characters. */
function readableHref({ href }: URL): string {
  try {
    const decoded = decodeURI(href);
    return /[\p{C}\p{Z}]/u.test(decoded) ? href : decoded;
  } catch {
    return href;
  }
}

/** Until it is revealed, the hidden text isn't in the document; only its space is reserved. */
function Spoiler({ tokens, children }: { tokens: readonly Token[]; children: ReactNode }) {
  const { t } = useTranslation("messages");
  const [isShown, setShown] = useState(false);
  if (isShown) return <span className="spoiler">{children}</span>;
  return (
    <button
      type="button"
      className="spoiler-cover"
      aria-label={t("markdown.showSpoiler")}
      onClick={() => setShown(true)}
    >
      {"\u2007".repeat(Math.min(plainText(tokens).length, 60) + 2)}
    </button>
  );
}

const Formula = lazy(() => whenLoaded(() => import("./formula.tsx")).catch(() => ({ default: Source })));

/** A formula; its source until the code for formulas is loaded, and if that fails. */
export function MathText(props: ComponentProps<typeof Source>) {
  return (
    <Suspense fallback={<Source {...props} />}>
      <Formula key={props.text} {...props} />
    </Suspense>
  );
}

function Source({ text }: { text: string; isBlock: boolean }) {
  return <code>{withoutOverrides(text)}</code>;
}
