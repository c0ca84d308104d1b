import hljs from "highlight.js/lib/common";

export type CodeKind = "comment" | "keyword" | "string" | "number" | "title" | "name" | "added" | "removed";

export type CodePiece = string | { kind: CodeKind; children: readonly CodePiece[] };

const KINDS: Readonly<Record<string, CodeKind>> = {
  comment: "comment",
  quote: "comment",
  doctag: "comment",
  keyword: "keyword",
  operator: "keyword",
  literal: "keyword",
  built_in: "keyword",
  meta: "keyword",
  string: "string",
  regexp: "string",
  char: "string",
  number: "number",
  symbol: "number",
  link: "string",
  title: "title",
  section: "title",
  "selector-class": "title",
  "selector-id": "title",
  type: "title",
  name: "name",
  tag: "name",
  attr: "name",
  attribute: "name",
  property: "name",
  variable: "name",
  "selector-tag": "name",
  "template-variable": "name",
  params: "name",
  addition: "added",
  deletion: "removed",
};

/** Collects pieces instead of the HTML that highlight.js returns by default. */
class PieceEmitter {
  readonly root: CodePiece[] = [];
  readonly #open: CodePiece[][] = [this.root];

  addText(text: string): void {
    if (text !== "") this.#open.at(-1)!.push(text);
  }

  startScope(scope: string): void {
    this.openNode(scope);
  }

  endScope(): void {
    this.closeNode();
  }

  openNode(scope: string): void {
    const kind = KINDS[scope.split(".")[0]!];
    const children: CodePiece[] = kind === undefined ? this.#open.at(-1)! : [];
    if (kind !== undefined) this.#open.at(-1)!.push({ kind, children });
    this.#open.push(children);
  }

  closeNode(): void {
    if (this.#open.length > 1) this.#open.pop();
  }

  /** Nested code of another language, such as CSS in HTML. */
  __addSublanguage(inner: PieceEmitter): void {
    this.#open.at(-1)!.push(...inner.root);
  }

  closeAllNodes(): void {
    this.#open.length = 1;
  }

  finalize(): void {
    this.closeAllNodes();
  }

  toHTML(): string {
    return "";
  }
}

hljs.configure({ __emitter: PieceEmitter });

/** Returns null if the language is unknown. */
export function highlight(code: string, language: string): readonly CodePiece[] | null {
  if (hljs.getLanguage(language) === undefined) return null;
  const { _emitter } = hljs.highlight(code, { language, ignoreIllegals: true });
  return (_emitter as unknown as PieceEmitter).root;
}
