import { Code, type LucideIcon, Workflow } from "lucide-react";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { useIsDark } from "../../../state/preferences.ts";
import { DIAGRAM_MAX_CHARS, draw, type Drawing, keptDrawing } from "./drawing.ts";
import { CodeBlock, CopyButton } from "./markdown.tsx";

/** Wider ones scroll, so that their texts stay readable. */
const MIN_SCALE = 0.65;

interface DiagramProps {
  /** In Mermaid's language. */
  code: string;
}

/** A diagram as a picture; its code until it is drawn, on request, and if it can't be drawn. */
export default function Diagram({ code }: DiagramProps) {
  const { t } = useTranslation("messages");
  const isTooLong = code.length > DIAGRAM_MAX_CHARS;
  const [drawing, fail] = useDrawing(code);
  const [showsCode, setShowsCode] = useState(false);
  const block = (
    <CodeBlock code={code} language="mermaid">
      {drawing && (
        <Tool icon={Workflow} label={t("markdown.showDiagram")} onClick={() => setShowsCode(false)} />
      )}
    </CodeBlock>
  );
  if (drawing === null)
    return (
      <>
        {block}
        <p className="text-xs text-muted">
          {isTooLong ? t("markdown.diagramTooLong") : t("markdown.diagramFailed")}
        </p>
      </>
    );
  if (drawing === undefined || showsCode) return block;
  const { url, width, height } = drawing;
  const name = t("markdown.diagram");
  const title = /^\s*accTitle:\s*(.+)/m.exec(code)?.[1];
  return (
    <div className="code-block" dir="ltr">
      <div className="diagram" role="group" aria-label={name} tabIndex={0}>
        <img
          src={url}
          alt={title === undefined ? name : `${name}: ${title}`}
          width={width}
          height={height}
          style={{ minWidth: width * MIN_SCALE }}
          onError={fail}
        />
      </div>
      <div className="code-block-bar">
        <Tool icon={Code} label={t("markdown.showCode")} onClick={() => setShowsCode(true)} />
        <CopyButton text={code} />
      </div>
    </div>
  );
}

/** The diagram, null if it can't be drawn, undefined while it is being drawn; and a function that gives it up. */
function useDrawing(code: string): [Drawing | null | undefined, () => void] {
  const isDark = useIsDark();
  const [drawing, setDrawing] = useState(() => keptDrawing(code, isDark));
  useEffect(() => {
    let isWanted = true;
    draw(code, isDark).then(
      (drawn) => isWanted && setDrawing(drawn),
      // It couldn't be loaded: the code stays.
      () => undefined,
    );
    return () => {
      isWanted = false;
    };
  }, [code, isDark]);
  return [drawing, () => setDrawing(null)];
}

interface ToolProps {
  icon: LucideIcon;
  label: string;
  onClick: () => void;
}

function Tool({ icon: Icon, label, onClick }: ToolProps) {
  return (
    <button type="button" aria-label={label} title={label} onClick={onClick}>
      <Icon size={14} aria-hidden="true" />
    </button>
  );
}
