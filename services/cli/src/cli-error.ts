/** An error that the operator can fix: its message is printed without a stack. */
export class CliError extends Error {
  override readonly name = "CliError";
}
