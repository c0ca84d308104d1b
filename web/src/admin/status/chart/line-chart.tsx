import { type PointerEvent, type ReactNode, type RefCallback, useCallback, useId, useState } from "react";
import { dotted } from "../../../shared/formats.ts";
import { cx } from "../../../ui/cx.ts";

type SeriesTone = "accent" | "info" | "muted";

export interface Series {
  name: string;
  tone: SeriesTone;
  /** One per entry of `times`; null is a gap. */
  values: readonly (number | null)[];
  isDashed?: boolean;
}

interface LineChartProps {
  title: string;
  hint?: string;
  /** Below the title, such as a total. */
  lead?: ReactNode;
  /** End of each step in Unix milliseconds, oldest first. */
  times: readonly number[];
  series: readonly Series[];
  /** Maximum width of the time axis. */
  maxSpanMs: number;
  format: (value: number) => string;
  formatTime: (atMs: number) => string;
  summary: string;
}

const STROKE: Record<SeriesTone, string> = {
  accent: "stroke-accent",
  info: "stroke-info",
  muted: "stroke-line-strong",
};
const MARK: Record<SeriesTone, string> = { accent: "bg-accent", info: "bg-info", muted: "bg-line-strong" };
const DOT: Record<SeriesTone, string> = {
  accent: "fill-accent",
  info: "fill-info",
  muted: "fill-line-strong",
};

const HEIGHT = 168;
const TOP = 8;
const BOTTOM = 22;
const LEFT = 52;
const RIGHT = 8;
const MAX_PARTS = 4;
/** Minimum width of the time axis, so that the first few values don't fill the chart. */
const MIN_SPAN_MS = 60_000;
const TIME_LABEL_WIDTH = 84;
const HALF_LABEL = 20;

export function LineChart(props: LineChartProps) {
  const { title, hint, lead, times, series, maxSpanMs, format, formatTime, summary } = props;
  const [figure, width] = useWidth();
  const [pointed, setPointed] = useState<number | null>(null);
  const id = useId();
  const last = times.length - 1;
  const shown = pointed === null || pointed > last ? last : pointed;
  const shownMs = times[shown];
  const endMs = times[last] ?? 0;
  const spanMs = Math.min(maxSpanMs, Math.max(MIN_SPAN_MS, endMs - (times[0] ?? 0)));
  const ticks = niceTicks(
    Math.max(0, ...series.flatMap(({ values }) => values.map((value) => value ?? 0))),
    MAX_PARTS,
  );
  const innerWidth = Math.max(1, width - LEFT - RIGHT);
  const x = (atMs: number): number => LEFT + innerWidth * (1 - (endMs - atMs) / spanMs);
  const y = (value: number): number => HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (value / ticks.at(-1)!);

  const point = (event: PointerEvent<SVGSVGElement>): void => {
    const at = event.clientX - event.currentTarget.getBoundingClientRect().left;
    let nearest = 0;
    for (const [index, time] of times.entries()) {
      if (Math.abs(x(time) - at) < Math.abs(x(times[nearest]!) - at)) nearest = index;
    }
    setPointed(times.length === 0 ? null : nearest);
  };

  return (
    <figure
      ref={figure}
      className="relative grid min-w-0 content-start gap-2 rounded-lg border border-line bg-raised p-4 has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-focus"
    >
      <figcaption className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
        <span className="font-semibold">{title}</span>
        <span className="flex flex-wrap gap-x-3 text-sm tabular-nums">
          {pointed !== null && shownMs !== undefined && (
            <span className="text-muted">{formatTime(shownMs)}</span>
          )}
          {series.map(({ name, tone, values }) => (
            <span key={name} className="inline-flex items-baseline gap-1.5">
              <span aria-hidden className={cx("h-0.5 w-3 self-center rounded-full", MARK[tone])} />
              <span className="text-muted">{name}</span>
              {(lead === undefined || pointed !== null) && (
                <span className="font-medium">{textOf(values[shown], format)}</span>
              )}
            </span>
          ))}
        </span>
      </figcaption>
      {lead}
      {/* The arrow keys do the same as pointing at the chart. */}
      {last > 0 && (
        <input
          type="range"
          // As the time axis, also where texts are from right to left.
          dir="ltr"
          className="sr-only"
          aria-label={title}
          aria-valuetext={
            shownMs === undefined
              ? undefined
              : dotted([
                  formatTime(shownMs),
                  ...series.map(({ name, values }) => `${name}: ${textOf(values[shown], format)}`),
                ])
          }
          min={0}
          max={last}
          value={shown}
          onChange={(event) => setPointed(event.target.valueAsNumber)}
          onBlur={() => setPointed(null)}
        />
      )}
      <svg
        role="img"
        aria-labelledby={id}
        width={width}
        height={HEIGHT}
        className="block max-w-full touch-pan-y"
        onPointerMove={point}
        onPointerDown={point}
        onPointerLeave={() => setPointed(null)}
      >
        <title id={id}>{summary}</title>
        {ticks.map((tick) => (
          <g key={tick}>
            <line x1={LEFT} x2={width - RIGHT} y1={y(tick)} y2={y(tick)} className="stroke-line" />
            <text
              x={LEFT - 8}
              y={y(tick) + 4}
              textAnchor="end"
              // In texts from right to left, the end is on the left.
              className="fill-muted text-[11px] tabular-nums rtl:[text-anchor:start]"
            >
              {format(tick)}
            </text>
          </g>
        ))}
        {timeTicks(endMs - spanMs, endMs, innerWidth / TIME_LABEL_WIDTH)
          .filter((tick) => x(tick) > LEFT + HALF_LABEL && x(tick) < width - HALF_LABEL)
          .map((tick) => (
            <text
              key={tick}
              x={x(tick)}
              y={HEIGHT - 5}
              textAnchor="middle"
              className="fill-muted text-[11px] tabular-nums"
            >
              {formatTime(tick)}
            </text>
          ))}
        {/* Reversed so that the first series is drawn on top. */}
        {series.toReversed().map(({ name, tone, values, isDashed = false }) => (
          <path
            key={name}
            d={linePath(times.map((time, index) => pointOf(x(time), values[index], y)))}
            className={cx("fill-none", STROKE[tone])}
            strokeWidth={tone === "muted" ? 1.5 : 2}
            strokeDasharray={isDashed ? "5 5" : undefined}
            strokeLinecap="round"
            strokeLinejoin="round"
          />
        ))}
        {pointed !== null && shownMs !== undefined && (
          <line
            x1={x(shownMs)}
            x2={x(shownMs)}
            y1={TOP}
            y2={HEIGHT - BOTTOM}
            className="stroke-line-strong"
          />
        )}
        {series.toReversed().map(({ name, tone, values }) => {
          const value = values[shown];
          if (shownMs === undefined || typeof value !== "number") return null;
          return <circle key={name} cx={x(shownMs)} cy={y(value)} r={3} className={DOT[tone]} />;
        })}
      </svg>
      {hint !== undefined && <p className="text-sm text-muted">{hint}</p>}
    </figure>
  );
}

function pointOf(x: number, value: number | null | undefined, y: (value: number) => number) {
  return typeof value === "number" ? { x, y: y(value) } : null;
}

function textOf(value: number | null | undefined, format: (value: number) => string): string {
  return typeof value === "number" ? format(value) : "–";
}

function useWidth(): [RefCallback<HTMLElement>, number] {
  const [width, setWidth] = useState(0);
  const ref = useCallback((element: HTMLElement | null) => {
    if (element === null) return undefined;
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [ref, width];
}

const STEPS = [1, 2, 2.5, 5, 10];

/** Round numbers from 0 up to the first one that is at least `highest`, in at most `count` steps. Values from 1 have no smaller steps. */
export function niceTicks(highest: number, count: number): number[] {
  if (!(highest > 0)) return [0, 1];
  const raw = highest / Math.min(count, Math.max(1, highest));
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = power * (STEPS.find((factor) => factor * power >= raw * (1 - 1e-9)) ?? 10);
  const parts = Math.max(1, Math.ceil(highest / step - 1e-9));
  return Array.from({ length: parts + 1 }, (_, index) => Number((index * step).toPrecision(12)));
}

const DAY_MS = 86_400_000;
const DAY_STEPS_MS = [1, 2, 7, 14, 28].map((days) => days * DAY_MS);
const TIME_STEPS_MS = [15_000, 30_000, 60_000, 120_000, 300_000, 600_000, ...DAY_STEPS_MS];

export function timeTicks(fromMs: number, toMs: number, count: number): number[] {
  const spanMs = toMs - fromMs;
  const stepMs = TIME_STEPS_MS.find((step) => spanMs / step <= count) ?? TIME_STEPS_MS.at(-1)!;
  const ticks: number[] = [];
  for (let atMs = Math.ceil(fromMs / stepMs) * stepMs; atMs <= toMs; atMs += stepMs) ticks.push(atMs);
  return ticks;
}

interface Point {
  x: number;
  y: number;
}

/** The SVG path through the points. A null point is a gap; an isolated point is drawn as a dot. */
export function linePath(points: readonly (Point | null)[]): string {
  let path = "";
  let isDrawing = false;
  for (const point of points) {
    if (point === null) {
      isDrawing = false;
      continue;
    }
    const at = `${round(point.x)} ${round(point.y)}`;
    // A zero-length line makes an isolated point visible as a dot (round caps).
    path += isDrawing ? `L${at}` : `M${at}L${at}`;
    isDrawing = true;
  }
  return path;
}

function round(number: number): number {
  return Math.round(number * 10) / 10;
}
