import type { EncodedPacket } from "../batch.ts";
import { decodeEvent } from "./packet-codec.ts";

/** An event as it came over the bus: the frame goes out as it is, the rest is only looked at where something needs it. */
export class WirePacket implements EncodedPacket {
  readonly frame: Buffer;
  readonly trace: string | undefined;
  #text: string | null = null;
  #args: readonly unknown[] | null;

  /**
   * @param frame an unmasked WebSocket text frame of one Engine.IO message
   * @param trace where the publication is traced
   * @param args event name and arguments where they are known
   */
  constructor(frame: Buffer, trace: string | undefined, args: readonly unknown[] | null = null) {
    this.frame = frame;
    this.trace = trace;
    this.#args = args;
  }

  get text(): string {
    const short = this.frame[1]!;
    const header = short < 126 ? 2 : short === 126 ? 4 : 10;
    // One more for Engine.IO's packet type.
    return (this.#text ??= this.frame.toString("utf8", header + 1));
  }

  get args(): readonly unknown[] {
    return (this.#args ??= decodeEvent(this.text).data);
  }
}
