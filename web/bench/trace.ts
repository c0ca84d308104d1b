import type { Browser, Page } from "playwright-core";

/** One event of Chromium's trace format; times in microseconds. */
interface TraceEvent {
  name: string;
  ph: string;
  ts: number;
  dur?: number;
  /** CPU time: unlike `dur`, it doesn't include the time of other programs. */
  tdur?: number;
  pid: number;
  tid: number;
  /** Of events with a beginning and an end of their own. */
  id?: string;
  id2?: { local?: string };
  args: { data?: { type?: string }; event_latency?: { event_type?: string } };
}

type Slice = Required<Pick<TraceEvent, "name" | "ts" | "dur" | "tdur">> & { type: string | undefined };

const CATEGORIES = ["devtools.timeline", "disabled-by-default-devtools.timeline", "input"];
const SCRIPTS = new Set(["FunctionCall", "RunMicrotasks", "EvaluateScript", "v8.callFunction"]);
const US = 1000;

export interface MainThread {
  /** For each key that was painted: the time from its arrival in the browser until the frame that shows it was on the screen. */
  waitsMs: number[];
  /** For each key: how long the main thread worked from the start of its handlers until the commit of the frame that shows it. */
  keyWorkMs: number[];
  /** How long it worked in all. */
  workMs: number;
  frames: number;
  layouts: number;
  layoutMs: number;
  /** Layouts that a script had to wait for. */
  forcedLayouts: number;
  forcedLayoutMs: number;
  longestTaskMs: number;
}

/** Records what the page's main thread does. Call the result to end it. */
export async function traceMainThread(browser: Browser, page: Page): Promise<() => Promise<MainThread>> {
  await browser.startTracing(page, { categories: CATEGORIES });
  return async () => {
    const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as {
      traceEvents: TraceEvent[];
    };
    return { ...measured(ofMainThread(traceEvents)), waitsMs: waitsOf(traceEvents) };
  };
}

/** The complete events of the thread that handled the most keys. */
function ofMainThread(events: readonly TraceEvent[]): Slice[] {
  const threadOf = ({ pid, tid }: TraceEvent): string => `${pid}/${tid}`;
  const keys = new Map<string, number>();
  for (const event of events)
    if (isKey(event.name, event.args.data?.type))
      keys.set(threadOf(event), (keys.get(threadOf(event)) ?? 0) + 1);
  const [thread] = [...keys].toSorted((a, b) => b[1] - a[1])[0] ?? [];
  if (thread === undefined) throw new Error("The trace has no keys.");
  return events
    .filter((event) => event.ph === "X" && threadOf(event) === thread)
    .map(({ name, ts, dur = 0, tdur = 0, args }) => ({ name, ts, dur, tdur, type: args.data?.type }))
    .toSorted((a, b) => a.ts - b.ts);
}

function waitsOf(events: readonly TraceEvent[]): number[] {
  const ends = new Map<string, number>();
  const idOf = ({ pid, id, id2 }: TraceEvent): string => `${pid}/${id ?? id2?.local}`;
  const waits: number[] = [];
  for (const event of events.toSorted((a, b) => b.ts - a.ts)) {
    if (event.name !== "EventLatency") continue;
    if (event.ph === "e") ends.set(idOf(event), event.ts);
    const end = ends.get(idOf(event));
    if (event.ph === "b" && end !== undefined && event.args.event_latency?.event_type === "KEY_PRESSED")
      waits.push((end - event.ts) / US);
  }
  return waits;
}

function isKey(name: string, type: string | undefined): boolean {
  return name === "EventDispatch" && type === "keydown";
}

function measured(slices: readonly Slice[]): Omit<MainThread, "waitsMs"> {
  const tasks = slices.filter(({ name }) => name === "RunTask");
  const commits = slices.filter(({ name }) => name === "Commit");
  const scripts = slices.filter(({ name }) => SCRIPTS.has(name));
  const layouts = slices.filter(({ name }) => name === "Layout");
  const forced = layouts.filter((layout) => scripts.some((script) => contains(script, layout)));
  const keys = slices.filter(({ name, type }) => isKey(name, type));
  const keyWorkMs = keys.flatMap((key) => {
    const commit = commits.find(({ ts }) => ts >= key.ts);
    if (commit === undefined) return [];
    const [from, to] = [key.ts, commit.ts + commit.dur];
    return tasks.reduce((sum, task) => sum + workWithin(task, from, to), 0) / US;
  });
  return {
    keyWorkMs,
    workMs: workOf(tasks) / US,
    frames: commits.length,
    layouts: layouts.length,
    layoutMs: workOf(layouts) / US,
    forcedLayouts: forced.length,
    forcedLayoutMs: workOf(forced) / US,
    longestTaskMs: Math.max(...tasks.map(({ tdur }) => tdur)) / US,
  };
}

function contains(outer: Slice, inner: Slice): boolean {
  return outer.ts <= inner.ts && inner.ts + inner.dur <= outer.ts + outer.dur;
}

function workOf(slices: readonly Slice[]): number {
  return slices.reduce((sum, { tdur }) => sum + tdur, 0);
}

/** The work of a task between two times, if it was spread evenly. */
function workWithin({ ts, dur, tdur }: Slice, from: number, to: number): number {
  const overlap = Math.min(ts + dur, to) - Math.max(ts, from);
  return overlap <= 0 || dur === 0 ? 0 : (tdur * overlap) / dur;
}
