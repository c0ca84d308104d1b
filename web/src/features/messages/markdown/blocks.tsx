import { Fragment, type ReactNode, type CSSProperties } from "react";
import { CodeBlock } from "./code-block.tsx";
import { Inline } from "./inline.tsx";
import type { Token, Tokens } from "./lex.ts";

/** Paragraphs, lists, quotes, code … one below the other. */
export function Blocks({ tokens }: { tokens: readonly Token[] }): ReactNode {
  // The tokens of a text never change place.
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
      // Headings of the page are not for messages to make.
      return (
        <p className="markdown-heading" data-depth={Math.min((token as Tokens.Heading).depth, 4)}>
          <Inline tokens={token.tokens ?? []} />
        </p>
      );
    case "code":
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
