/** Control characters, removed because the reason can quote the file and terminals would interpret them. */
const CONTROLS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

const MAX_REASON_CHARS = 300;

/** An invalid line of a group file, with the reason. */
export class InvalidLineError extends Error {
  override readonly name = "InvalidLineError";
  readonly line: number;
  readonly reason: string;

  constructor(line: number, why: string) {
    const reason = why.slice(0, MAX_REASON_CHARS).replaceAll(CONTROLS, "\u{fffd}");
    super(`line ${line}: ${reason}`);
    this.line = line;
    this.reason = reason;
  }
}
