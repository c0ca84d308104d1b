const STEPS = [1, 2, 2.5, 5, 10];

/** Round numbers from 0 to the first that is not below `highest`: at most `count` parts. */
export function niceTicks(highest: number, count: number): number[] {
  if (!(highest > 0)) return [0, 1];
  const raw = highest / count;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = power * (STEPS.find((factor) => factor * power >= raw * (1 - 1e-9)) ?? 10);
  const parts = Math.max(1, Math.ceil(highest / step - 1e-9));
  return Array.from({ length: parts + 1 }, (_, index) => Number((index * step).toPrecision(12)));
}

const TIME_STEPS_MS = [15_000, 30_000, 60_000, 120_000, 300_000, 600_000];

/** Round times in between, at most `count` or so. */
export function timeTicks(fromMs: number, toMs: number, count: number): number[] {
  const spanMs = toMs - fromMs;
  const stepMs = TIME_STEPS_MS.find((step) => spanMs / step <= count) ?? TIME_STEPS_MS.at(-1)!;
  const ticks: number[] = [];
  for (let atMs = Math.ceil(fromMs / stepMs) * stepMs; atMs <= toMs; atMs += stepMs) ticks.push(atMs);
  return ticks;
}
