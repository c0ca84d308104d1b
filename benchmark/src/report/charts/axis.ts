import { short, whole } from "../format.ts";

/** Maps values to positions on an axis, with ticks. */
export interface Axis {
  ticks: readonly number[];
  /** 0 at the start of the axis, 1 at its end. */
  place: (value: number) => number;
}

/** From zero to a round number that is not below the largest value. */
export function linearAxis(largest: number, mostTicks = 5): Axis {
  const step = roundStep((largest || 1) / mostTicks);
  const steps = Math.max(1, Math.ceil((largest || 1) / step - 1e-9));
  const end = steps * step;
  return {
    ticks: Array.from({ length: steps + 1 }, (_, i) => i * step),
    place: (value) => Math.max(0, Math.min(1, value / end)),
  };
}

/**
 * Equal ratios have equal distances.
 * @param values above zero
 */
export function logAxis(values: readonly number[]): Axis {
  const [low, high] = [Math.log10(Math.min(...values)), Math.log10(Math.max(...values))];
  const [from, to] = [Math.floor(low * 3) / 3, Math.ceil(high * 3) / 3];
  const span = to - from || 1;
  const ticks: number[] = [];
  for (let power = Math.floor(from); power <= Math.ceil(to); power++) {
    for (const digit of [1, 2, 5]) ticks.push(digit * 10 ** power);
  }
  const place = (value: number) => (Math.log10(value) - from) / span;
  return { ticks: ticks.filter((tick) => place(tick) >= -1e-9 && place(tick) <= 1 + 1e-9), place };
}

/** 1, 2, 2.5 or 5 times a power of ten, and not smaller. */
function roundStep(step: number): number {
  const power = 10 ** Math.floor(Math.log10(step));
  return [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= step - 1e-12)!;
}

/** 12500 → "12.5k". */
export function tickText(value: number): string {
  if (value >= 1e6) return `${trimmed(value / 1e6)}M`;
  if (value >= 10_000) return `${trimmed(value / 1000)}k`;
  return value >= 100 ? whole(value) : trimmed(value);
}

function trimmed(value: number): string {
  return String(Number(short(value)));
}

/** Approximate width of a digit in the axes' text. */
export const CHARACTER_WIDTH = 6.9;
const LABEL_GAP = 8;

/**
 * The labels that fit on an axis without overlap: the last and the first, then each that still fits.
 * @param at the position of the label's middle
 * @param size its extent along the axis
 */
export function withRoom<T>(labels: readonly T[], at: (label: T) => number, size: (label: T) => number): T[] {
  const [first, last] = [labels[0], labels.at(-1)];
  const kept: T[] = [];
  for (const label of new Set(labels.length === 0 ? [] : [last!, first!, ...labels])) {
    const isFree = kept.every(
      (other) => Math.abs(at(other) - at(label)) >= (size(other) + size(label)) / 2 + LABEL_GAP,
    );
    if (isFree) kept.push(label);
  }
  return labels.filter((label) => kept.includes(label));
}
