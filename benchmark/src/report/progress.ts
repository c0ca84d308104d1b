import { nowMs } from "../kernels/broadcast/clock.ts";
import { duration, whole } from "./format.ts";

const REFRESH_MS = 200;
const PLAIN_REFRESH_MS = 2000;

/**
 * Live progress on stderr: on a terminal one line that is rewritten, otherwise an occasional line, or without `wanted` only one when
 * measuring begins.
 */
export class Progress {
  readonly #stream: NodeJS.WriteStream;
  readonly #isEnabled: boolean;
  #isAnnounced: boolean;
  #label = "";
  #total = 0;
  #done: () => number = () => 0;
  #startedMs = 0;
  #timer: NodeJS.Timeout | undefined;

  /** @param wanted undefined: only if stderr is a terminal */
  constructor(wanted: boolean | undefined, stream: NodeJS.WriteStream = process.stderr) {
    this.#stream = stream;
    this.#isEnabled = wanted ?? stream.isTTY;
    this.#isAnnounced = this.#isEnabled || wanted === false;
  }

  /** Shows the progress of `done()` towards `total` until the work ends. */
  async during<T>(label: string, total: number, done: () => number, work: () => Promise<T>): Promise<T> {
    this.#label = label;
    this.#total = total;
    this.#done = done;
    this.#startedMs = nowMs();
    if (!this.#isAnnounced) this.#stream.write("Measuring: --progress shows how far it is.\n");
    this.#isAnnounced = true;
    if (!this.#isEnabled) return work();
    this.#draw();
    this.#timer = setInterval(() => this.#draw(), this.#stream.isTTY ? REFRESH_MS : PLAIN_REFRESH_MS);
    try {
      return await work();
    } finally {
      clearInterval(this.#timer);
      if (this.#stream.isTTY) this.#stream.write("\r\x1b[2K");
    }
  }

  /** The last step and its progress, to follow a verb. */
  get last(): string {
    if (this.#label === "") return "while the server was started";
    return `in "${this.#label}, ${whole(this.#done())} of ${whole(this.#total)}"`;
  }

  #draw(): void {
    const line = progressLine(this.#label, this.#done(), this.#total, nowMs() - this.#startedMs);
    this.#stream.write(this.#stream.isTTY ? `\r\x1b[2K${line}` : `${line}\n`);
  }
}

function progressLine(label: string, done: number, total: number, elapsedMs: number): string {
  const perSecond = done / (elapsedMs / 1000);
  const parts = [`${label} ${whole(done)}/${whole(total)}`];
  if (done > 0) {
    parts.push(`${whole(perSecond)}/s`);
    if (done < total) parts.push(`${duration(((total - done) / perSecond) * 1000)} left`);
  }
  return parts.join(" · ");
}
