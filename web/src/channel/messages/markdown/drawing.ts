import mermaidUrl from "@mermaid-js/tiny/dist/mermaid.tiny.js?url";

/** The parts of Mermaid that are used. */
interface Mermaid {
  initialize: (config: object) => void;
  render: (id: string, source: string) => Promise<{ svg: string }>;
}

export interface Drawing {
  url: string;
  width: number;
  height: number;
}

/** Longer sources, and more arrows, take seconds to lay out. */
export const DIAGRAM_MAX_CHARS = 5000;
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
export const keptDrawing = (source: string, isDark: boolean): Drawing | null | undefined =>
  source.length > DIAGRAM_MAX_CHARS ? null : kept.get(keyOf(source, isDark));

const keyOf = (source: string, isDark: boolean): string => `${isDark ? "dark" : "light"} ${source}`;

/**
 * Draws one diagram at a time, because Mermaid's configuration is global.
 * @returns null if the source is too long or has mistakes
 * @throws if Mermaid can't be loaded
 */
export async function draw(source: string, isDark: boolean): Promise<Drawing | null> {
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
