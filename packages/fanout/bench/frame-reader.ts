/** Reads unmasked WebSocket frames from chunks and tells the first two bytes of each payload. Keeps no payload. */
export class FrameReader {
  readonly #onFrame: (first: number, second: number) => void;
  /** Bytes of the current frame still to come. */
  #rest = 0;
  /** A frame's first bytes where a chunk ended within them. */
  #head: Buffer | null = null;

  constructor(onFrame: (first: number, second: number) => void) {
    this.#onFrame = onFrame;
  }

  read(chunk: Buffer, start: number, end: number): void {
    let at = start;
    while (at < end) {
      if (this.#rest > 0) {
        const taken = Math.min(this.#rest, end - at);
        this.#rest -= taken;
        at += taken;
      } else if (this.#head !== null) {
        const head: Buffer = Buffer.concat([this.#head, chunk.subarray(at, at + 1)]);
        at++;
        this.#head = this.#start(head, 0, head.length) === 0 ? head : null;
      } else {
        const taken = this.#start(chunk, at, end);
        if (taken === 0) {
          this.#head = Buffer.from(chunk.subarray(at, end));
          return;
        }
        at += taken;
      }
    }
  }

  /** Takes a frame's header and the first bytes of its payload; 0 when there is not enough of it yet. */
  #start(chunk: Buffer, at: number, end: number): number {
    if (end - at < 2) return 0;
    const short = chunk[at + 1]! & 127;
    const header = short < 126 ? 2 : short === 126 ? 4 : 10;
    if (end - at < header) return 0;
    const length =
      header === 2
        ? short
        : header === 4
          ? chunk.readUInt16BE(at + 2)
          : Number(chunk.readBigUInt64BE(at + 2));
    const shown = Math.min(2, length);
    if (end - at < header + shown) return 0;
    this.#rest = length - shown;
    this.#onFrame(chunk[at + header] ?? 0, chunk[at + header + 1] ?? 0);
    return header + shown;
  }
}
