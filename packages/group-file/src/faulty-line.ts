/** A line of a file that does not fit, and why. */
export class FaultyLine extends Error {
  override readonly name = "FaultyLine";
  readonly line: number;
  readonly reason: string;

  constructor(line: number, reason: string) {
    super(`line ${line}: ${reason}`);
    this.line = line;
    this.reason = reason;
  }
}
