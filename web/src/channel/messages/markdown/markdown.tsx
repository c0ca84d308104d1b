import {
  type ComponentType,
  createContext,
  lazy,
  memo,
  type MouseEvent,
  Suspense,
  useMemo,
  type CSSProperties,
  Fragment,
  type ReactNode,
  useContext,
  useEffect,
  useState,
} from "react";
import type { Emoji } from "@fanfare/contract";
import { useCopy } from "../../../shared/copy.ts";
import { whenLoaded } from "../../../shared/when-loaded.ts";
import { EMOJI_CODE, lex, plainText, type Token, type Tokens, withoutOverrides } from "./lex.ts";
import "./markdown.css";
import { Inline, Plain, MathText } from "./inline.tsx";
import { Check, Copy } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { CodePiece } from "./highlighter.ts";

/** More emoji than this are shown at text size. */
const MAX_BIG = 27;

/**
 * All of `\p{RGI_Emoji}`, which takes 20 ms to compile, and other sequences of the same form:
 * https://unicode.org/reports/tr51/#EBNF_and_Regex
 */
const EMOJI =
  /\p{RI}{2}|(?:(?!\p{RI})\p{Emoji_Presentation}|\p{Emoji}(?:\uFE0F\u20E3?|\p{EMod}))(?:\p{EMod}|[\u{E0020}-\u{E007E}]+\u{E007F})?(?:\u200D\p{Emoji}\uFE0F?\p{EMod}?)*/gu;
const EMOJI_CODES = new RegExp(EMOJI_CODE, "g");

/** Renders a message's text. Tokens become elements; nothing is ever inserted as HTML. */
export const Markdown = memo(function Markdown({ content }: { content: string }) {
  const { emoji } = useContext(MarkdownContext);
  const tokens = useMemo(() => lex(content), [content]);
  return (
    <div className={isEmojiOnly(content, emoji) ? "markdown markdown-big" : "markdown"} dir="auto">
      <Blocks tokens={tokens} />
    </div>
  );
});

function isEmojiOnly(content: string, own: MarkdownParts["emoji"]): boolean {
  const shown = content.replace(EMOJI_CODES, (code, name: string) => (own.has(name) ? "🙂" : code));
  if (shown.replace(EMOJI, "").trim() !== "") return false;
  const count = shown.match(EMOJI)?.length ?? 0;
  return count > 0 && count <= MAX_BIG;
}

export interface MentionProps {
  id: string;
  /** Renders text only: inside links, or where nothing is clickable. */
  plain: boolean;
}

export interface MarkdownParts {
  User: ComponentType<MentionProps>;
  Role: ComponentType<MentionProps>;
  Channel: ComponentType<MentionProps>;
  /** The group's own emoji by name. */
  emoji: ReadonlyMap<string, Emoji>;
  /** All of the group's own pictures; undefined while they are loading. */
  stickers: readonly Emoji[] | undefined;
  /** What is highlighted in texts. */
  keywords: RegExp | null;
  /** The path if the address belongs to this instance; such links open in this window. */
  ownPath: (url: URL) => string | null;
  /** Called before a link is followed; can prevent it. */
  onFollow: (event: MouseEvent<HTMLAnchorElement>, url: URL) => void;
}

export const MarkdownContext = createContext<MarkdownParts>({
  User: () => "@…",
  Role: () => "@…",
  Channel: () => "#…",
  emoji: new Map(),
  stickers: [],
  keywords: null,
  ownPath: () => null,
  onFollow: () => undefined,
});

/** The text in one line without interactive elements, for replies, lists and screen readers. */
export const MarkdownPreview = memo(function MarkdownPreview({ content }: { content: string }) {
  const text = useMemo(() => plainText(lex(content.slice(0, 500))), [content]);
  return (
    <Plain>
      <Inline tokens={[{ type: "text", raw: text, text }]} />
    </Plain>
  );
});

function Blocks({ tokens }: { tokens: readonly Token[] }): ReactNode {
  // Tokens never change their order.
  return tokens.map((token, index) => <Block key={index} token={token as Tokens.Generic} />);
}

function Block({ token }: { token: Tokens.Generic }): ReactNode {
  switch (token.type) {
    case "space":
      return null;
    case "paragraph":
      return (
        <p>
          <Inline tokens={token.tokens ?? []} />
        </p>
      );
    case "heading":
      // Messages must not add to the page's heading outline.
      return (
        <p className="markdown-heading" data-depth={Math.min((token as Tokens.Heading).depth, 4)}>
          <Inline tokens={token.tokens ?? []} />
        </p>
      );
    case "code":
      if ((token as Tokens.Code).lang === "math")
        return <MathText text={(token as Tokens.Code).text} isBlock />;
      if ((token as Tokens.Code).lang === "mermaid")
        return <DiagramBlock key={(token as Tokens.Code).text} code={(token as Tokens.Code).text} />;
      return <CodeBlock code={(token as Tokens.Code).text} language={(token as Tokens.Code).lang ?? ""} />;
    case "blockquote":
      return (
        <blockquote>
          <Blocks tokens={token.tokens ?? []} />
        </blockquote>
      );
    case "list":
      return <List list={token as Tokens.List} />;
    case "hr":
      return <hr />;
    case "table":
      return <Table table={token as Tokens.Table} />;
    default:
      return <Inline tokens={[token]} />;
  }
}

function List({ list }: { list: Tokens.List }): ReactNode {
  const items = list.items.map((item, index) => <Item key={index} item={item} />);
  if (!list.ordered) return <ul>{items}</ul>;
  return <ol start={Number(list.start) || 1}>{items}</ol>;
}

function Item({ item }: { item: Tokens.ListItem }): ReactNode {
  return (
    <li className={item.task ? "markdown-task" : undefined}>
      {item.tokens.map((token, index) => (
        <Fragment key={index}>
          {index > 0 && isText(token) && isText(item.tokens[index - 1]!) && <br />}
          <Block token={token as Tokens.Generic} />
        </Fragment>
      ))}
    </li>
  );
}

const isText = (token: Token): boolean => token.type === "text";

function Table({ table }: { table: Tokens.Table }): ReactNode {
  return (
    <div className="markdown-table">
      <table>
        <thead>
          <Row cells={table.header} />
        </thead>
        <tbody>
          {table.rows.map((cells, index) => (
            <Row key={index} cells={cells} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row({ cells }: { cells: readonly Tokens.TableCell[] }): ReactNode {
  return (
    <tr>
      {cells.map(({ header, align, tokens }, index) => {
        const Cell = header ? "th" : "td";
        const style: CSSProperties | undefined = align === null ? undefined : { textAlign: align };
        return (
          <Cell key={index} style={style}>
            <Inline tokens={tokens} />
          </Cell>
        );
      })}
    </tr>
  );
}

const Diagram = lazy(() => whenLoaded(() => import("./diagram.tsx")).catch(() => ({ default: DiagramCode })));

/** A diagram; its code until what draws it is loaded, and if that fails. */
function DiagramBlock({ code }: { code: string }) {
  return (
    <Suspense fallback={<DiagramCode code={code} />}>
      <Diagram code={code} />
    </Suspense>
  );
}

function DiagramCode({ code }: { code: string }) {
  return <CodeBlock code={code} language="mermaid" />;
}

interface CodeBlockProps {
  code: string;
  language: string;
  /** Another button. */
  children?: ReactNode;
}

/** A code block with a copy button. Highlighting is loaded on demand. */
export function CodeBlock({ code, language, children }: CodeBlockProps) {
  const name = /^[\w+#.-]{1,20}/.exec(language)?.[0] ?? "";
  const shown = withoutOverrides(code);
  const pieces = useHighlighted(shown, name);
  return (
    <div className="code-block" dir="ltr">
      <pre tabIndex={0}>
        <code>{pieces === null ? shown : <Pieces pieces={pieces} />}</code>
      </pre>
      <div className="code-block-bar">
        {name !== "" && <span>{name}</span>}
        {children}
        <CopyButton text={shown} />
      </div>
    </div>
  );
}

function Pieces({ pieces }: { pieces: readonly CodePiece[] }): ReactNode {
  return pieces.map((piece, index) =>
    typeof piece === "string" ? (
      piece
    ) : (
      <span key={index} className={`code-${piece.kind}`}>
        <Pieces pieces={piece.children} />
      </span>
    ),
  );
}

function useHighlighted(code: string, language: string): readonly CodePiece[] | null {
  const [found, setFound] = useState<{ of: string; pieces: readonly CodePiece[] | null } | null>(null);
  useEffect(() => {
    if (language === "") return undefined;
    let isWanted = true;
    const colour = async (): Promise<void> => {
      const { highlight } = await whenLoaded(() => import("./highlighter.ts"));
      if (isWanted) setFound({ of: code, pieces: highlight(code, language) });
    };
    // Readable without colors too.
    colour().catch(() => undefined);
    return () => {
      isWanted = false;
    };
  }, [code, language]);
  return found?.of === code ? found.pieces : null;
}

export function CopyButton({ text }: { text: string }) {
  const { t } = useTranslation("messages");
  const { isCopied, copy } = useCopy(text);
  const label = isCopied ? t("shared:copied") : t("markdown.copyCode");
  const Icon = isCopied ? Check : Copy;
  return (
    <button type="button" aria-label={label} title={label} onClick={copy}>
      <Icon size={14} aria-hidden="true" />
    </button>
  );
}
