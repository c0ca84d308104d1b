import { type ComponentProps, lazy, Suspense } from "react";
import { whenLoaded } from "../../../shared/when-loaded.ts";
import { withoutOverrides } from "./lex.ts";

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
