import { Code, type LucideIcon, Workflow } from "lucide-react";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { useIsDark } from "../../../state/preferences.ts";
import { CodeBlock, CopyButton } from "./markdown.tsx";
import mermaidUrl from "@mermaid-js/tiny/dist/mermaid.tiny.js?url";

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

/** The parts of Mermaid that are used. */
interface Mermaid {
  initialize: (config: object) => void;
  render: (id: string, source: string) => Promise<{ svg: string }>;
}

interface Drawing {
  url: string;
  width: number;
  height: number;
}

/** Longer sources, and more arrows, take seconds to lay out. */
const DIAGRAM_MAX_CHARS = 5000;
const MAX_EDGES = 200;
/** Diagrams are drawn again when they scroll back into view. */
const MAX_KEPT = 50;
const CONFIG = {
  startOnLoad: false,
  securityLevel: "strict",
  suppressErrorRendering: true,
  maxTextSize: DIAGRAM_MAX_CHARS,
  maxEdges: MAX_EDGES,
  // HTML in a picture is not supported everywhere.
  htmlLabels: false,
  layout: "dagre",
  // A picture has no fonts of the page.
  fontFamily: "sans-serif",
};
/** What a source can't change. */
const SECURE = ["secure", "themeCSS", ...Object.keys(CONFIG)];

let mermaid: Promise<Mermaid> | null = null;
let last: Promise<unknown> = Promise.resolve();
let count = 0;
const kept = new Map<string, Drawing | null>();

/** The one that was drawn before; undefined if there is none. */
const keptDrawing = (source: string, isDark: boolean): Drawing | null | undefined =>
  source.length > DIAGRAM_MAX_CHARS ? null : kept.get(keyOf(source, isDark));

const keyOf = (source: string, isDark: boolean): string => `${isDark ? "dark" : "light"} ${source}`;

/**
 * Draws one diagram at a time, because Mermaid's configuration is global.
 * @returns null if the source is too long or has mistakes
 * @throws if Mermaid can't be loaded
 */
async function draw(source: string, isDark: boolean): Promise<Drawing | null> {
  const known = keptDrawing(source, isDark);
  if (known !== undefined) return known;
  mermaid ??= load();
  mermaid.catch(() => {
    mermaid = null;
  });
  const { initialize, render } = await mermaid;
  const drawn = last.then(async () => {
    initialize({ ...CONFIG, secure: SECURE, theme: isDark ? "dark" : "default" });
    count += 1;
    const { svg } = await render(`diagram-${count}`, source);
    return pictureOf(svg);
  });
  last = drawn.catch(() => undefined);
  const drawing = await drawn.catch(() => null);
  const [oldest] = kept.keys();
  if (kept.size >= MAX_KEPT && oldest !== undefined) kept.delete(oldest);
  kept.set(keyOf(source, isDark), drawing);
  return drawing;
}

/**
 * Mermaid measures texts and writes styles into the page, which the content security policy forbids. So it has a page of its own
 * (public/diagram.html), which is never seen.
 */
async function load(): Promise<Mermaid> {
  const frame = document.createElement("iframe");
  frame.src = "/diagram.html";
  frame.className = "diagram-frame";
  frame.inert = true;
  await added(frame, document.body);
  const script = document.createElement("script");
  script.src = mermaidUrl;
  try {
    await added(script, frame.contentDocument!.head);
  } catch (error) {
    frame.remove();
    throw error;
  }
  return (frame.contentWindow as unknown as { mermaid: Mermaid }).mermaid;
}

function added(element: HTMLElement, parent: HTMLElement): Promise<unknown> {
  return new Promise((resolve, reject) => {
    element.addEventListener("load", resolve);
    element.addEventListener("error", () => reject(new Error("Mermaid could not be loaded")));
    parent.append(element);
  });
}

/** As a picture, nothing in it can run, load or change the page. */
function pictureOf(svg: string): Drawing | null {
  const [, width, height] = /viewBox="[-\d.e]+ [-\d.e]+ ([\d.e]+) ([\d.e]+)"/.exec(svg) ?? [];
  if (width === undefined || height === undefined) return null;
  // An entity of HTML, in which Mermaid has written it.
  const xml = svg
    .replace(/ width="100%"/, ` width="${width}" height="${height}"`)
    .replaceAll("&nbsp;", "&#160;");
  return {
    url: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(xml)}`,
    width: Math.ceil(Number(width)),
    height: Math.ceil(Number(height)),
  };
}
