import katex from "katex";
import { useLayoutEffect, useMemo, useRef } from "react";
import { withoutOverrides } from "./lex.ts";

/** A formula takes at most this much of KaTeX's time. */
const MAX_CHARS = 2000;
const MAX_EXPANSIONS = 200;
const MAX_SIZE_EM = 20;

interface FormulaProps {
  /** In TeX. */
  text: string;
  /** On a line of its own. */
  isBlock: boolean;
}

/** A formula as MathML, which needs no styles and is read by screen readers. One with mistakes stays text. */
export default function Formula({ text, isBlock }: FormulaProps) {
  const place = useRef<HTMLSpanElement>(null);
  const formula = useMemo(() => formulaOf(text, isBlock), [text, isBlock]);
  useLayoutEffect(() => {
    if (formula !== null) place.current?.replaceChildren(formula);
  }, [formula]);
  if (formula === null) return <code>{withoutOverrides(text)}</code>;
  return <span ref={place} dir="ltr" className="markdown-math" data-block={isBlock} />;
}

/** Creates elements, no HTML; without `trust` there are no links and no images among them. */
function formulaOf(text: string, isBlock: boolean): HTMLElement | null {
  if (text.length > MAX_CHARS) return null;
  const formula = document.createElement("span");
  try {
    katex.render(text, formula, {
      output: "mathml",
      displayMode: isBlock,
      maxExpand: MAX_EXPANSIONS,
      maxSize: MAX_SIZE_EM,
      trust: false,
      strict: "ignore",
    });
    return formula;
  } catch {
    return null;
  }
}
