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
import { MarkdownContext, type MarkdownParts } from "./markdown.tsx";
import { whenLoaded } from "../../../shared/when-loaded.ts";

/** Links and buttons can't be nested. */
const PlainContext = createContext(false);

export function Plain({ children }: { children: ReactNode }): ReactNode {
  return <PlainContext value>{children}</PlainContext>;
}

export function Inline({ tokens }: { tokens: readonly Token[] }): ReactNode {
  const plain = useContext(PlainContext);
  const { emoji, keywords } = useContext(MarkdownContext);
  return pieces(tokens, { plain, emoji, keywords });
}

interface Look extends Pick<MarkdownParts, "emoji" | "keywords"> {
  plain: boolean;
}

// Functions instead of components: a message has many pieces, and most are only text.

function pieces(tokens: readonly Token[], look: Look): ReactNode {
  return withKeys(tokens, (token, index) => piece(token, tokens[index - 1]?.raw.slice(-1) ?? "", look));
}

/** Texts need no keys. */
function withKeys<T>(items: readonly T[], nodeOf: (item: T, index: number) => ReactNode): ReactNode {
  if (items.length === 1) return nodeOf(items[0]!, 0);
  return items.map((item, index) => {
    const node = nodeOf(item, index);
    return typeof node === "string" ? node : <Fragment key={index}>{node}</Fragment>;
  });
}

function piece(token: Tokens.Generic, before: string, look: Look): ReactNode {
  const children = (): ReactNode => pieces(token.tokens ?? [], look);
  switch (token.type) {
    case "text":
      return token.tokens === undefined ? withMentions(String(token["text"]), before, look) : children();
    case "escape":
      return String(token["text"]);
    case "strong":
      return <strong>{children()}</strong>;
    case "em":
      return <em>{children()}</em>;
    case "del":
      return <del>{children()}</del>;
    case "codespan":
      return <code>{withoutOverrides(String(token["text"]))}</code>;
    case "math":
      return <MathText text={String(token["text"])} isBlock={false} />;
    case "br":
      return <br />;
    case "checkbox":
      return (token as Tokens.Checkbox).checked ? "☑\uFE0E " : "☐ ";
    case "emojiCode":
      return <EmojiSign emoji={token.raw} own={look.emoji} />;
    case "spoiler":
      return look.plain ? children() : <Spoiler tokens={token.tokens ?? []}>{children()}</Spoiler>;
    case "link":
    case "image":
      if (look.plain) return withMentions(String(token["text"]), before, look);
      return (
        <MarkdownLink token={token as Tokens.Link | Tokens.Image}>
          <Plain>
            <Inline tokens={token.tokens ?? []} />
          </Plain>
        </MarkdownLink>
      );
    default:
      return withoutOverrides(token.raw);
  }
}

function withMentions(text: string, before: string, { keywords }: Look): ReactNode {
  return withKeys(textParts(text, before), (part) =>
    typeof part === "string" ? highlighted(part, keywords) : <Mention part={part} />,
  );
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
