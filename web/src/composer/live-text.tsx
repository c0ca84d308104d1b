import { memo } from "react";
import { cx } from "../ui/cx.ts";
import type { TextPiece } from "./live-format.ts";
import "./live-text.css";

interface LiveTextProps {
  parts: readonly (readonly TextPiece[])[];
  /** As the field's. */
  className: string | undefined;
}

/** The formatted text behind a field whose own text is transparent. */
export function LiveText({ parts, className }: LiveTextProps) {
  const last = parts.at(-1)?.at(-1);
  return (
    <div
      aria-hidden
      className={cx(
        "live-text pointer-events-none absolute inset-x-0 top-0 overflow-x-clip select-none",
        className,
      )}
    >
      {parts.map((pieces, index) => (
        <Part key={index} pieces={pieces} />
      ))}
      {/* Without it, the last line break would not start a line. */}
      {last?.text.endsWith("\n") === true && <br />}
    </div>
  );
}

const Part = memo(function Part({ pieces }: { pieces: readonly TextPiece[] }) {
  return pieces.map(({ text, formats }, index) => {
    if (formats.length === 0) return text;
    const names = formats.map((format) => `live-${format}`);
    if (formats.includes("em") && keepsWidth(text)) names.push("live-slant");
    return (
      <span key={index} className={names.join(" ")}>
        {text}
      </span>
    );
  });
});

const CACHED = 200;
const widths = new Map<string, boolean>();
let canvas: CanvasRenderingContext2D | null = null;

/** Latin letters and punctuation. Other scripts can have another font for italics, or have none by convention. */
const LATIN = /^[\0-\u02ff\u2000-\u206f]*$/;

/** Whether a text in italics is as wide as upright: if the font has no italics, the browser slants it. */
function keepsWidth(text: string): boolean {
  if (!LATIN.test(text)) return false;
  const cached = widths.get(text);
  if (cached !== undefined) return cached;
  canvas ??= document.createElement("canvas").getContext("2d");
  if (canvas === null) return false;
  const { fontFamily } = getComputedStyle(document.documentElement);
  canvas.fontKerning = "none";
  canvas.font = `16px ${fontFamily}`;
  const { width } = canvas.measureText(text);
  canvas.font = `italic 16px ${fontFamily}`;
  const isEqual = Math.abs(canvas.measureText(text).width - width) < 0.01;
  if (widths.size >= CACHED) widths.clear();
  widths.set(text, isEqual);
  return isEqual;
}
