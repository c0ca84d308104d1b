import type { Registry } from "prom-client";
import { readGauge } from "./read-gauge.ts";

const SLICE_MS = 5000;
/** So many slices besides the one that is being filled: what is told is of the last 60 to 65 s. */
const SLICES = 12;

export interface RecentMaxOptions {
  name: string;
  help: string;
  registry: Registry;
  nowMs?: () => number;
}

/** The largest value of the last minute as a gauge, which a histogram cannot tell: its buckets only say between which bounds it lies. */
export class RecentMax {
  readonly #slices = Array.from({ length: SLICES + 1 }, () => 0);
  readonly #nowMs: () => number;
  #current: number;
  #sinceTaken = 0;

  constructor({ name, help, registry, nowMs = () => performance.now() }: RecentMaxOptions) {
    this.#nowMs = nowMs;
    this.#current = this.#slice();
    readGauge({ name, help, registry, aggregator: "max", read: () => this.value });
  }

  observe(value: number): void {
    this.#advance();
    const place = this.#current % this.#slices.length;
    if (value > this.#slices[place]!) this.#slices[place] = value;
    if (value > this.#sinceTaken) this.#sinceTaken = value;
  }

  /** The largest since the last time it was taken. 0 when nothing was observed. */
  take(): number {
    const taken = this.#sinceTaken;
    this.#sinceTaken = 0;
    return taken;
  }

  /** 0 when nothing was observed. */
  get value(): number {
    this.#advance();
    return Math.max(...this.#slices);
  }

  #slice(): number {
    return Math.floor(this.#nowMs() / SLICE_MS);
  }

  #advance(): void {
    const now = this.#slice();
    const passed = Math.min(now - this.#current, this.#slices.length);
    for (let i = 1; i <= passed; i += 1) this.#slices[(now - passed + i) % this.#slices.length] = 0;
    this.#current = now;
  }
}
