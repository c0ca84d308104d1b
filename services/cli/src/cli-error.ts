/** Something the operator can put right: its message is printed as it is, without a stack. */
export class CliError extends Error {
  override readonly name = "CliError";
}
