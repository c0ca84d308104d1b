import type { CSSProperties, ReactNode } from "react";
import { Inline } from "./inline.tsx";
import type { Tokens } from "./lex.ts";

export function Table({ table }: { table: Tokens.Table }): ReactNode {
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
