export const ExitCode = {
  ok: 0,
  /** Messages were lost, duplicated, out of order or not persisted, or connections dropped. */
  failed: 1,
  couldNotConnect: 2,
  /** EX_USAGE of sysexits.h */
  usage: 64,
  thresholdFailed: 99,
  interrupted: 105,
} as const;

/** Exits the program with a message that says what to do. */
export class ExitError extends Error {
  readonly code: number;

  constructor(code: (typeof ExitCode)[keyof typeof ExitCode], message: string) {
    super(message);
    this.code = code;
  }
}

/** An ExitError becomes its message on stderr, and the exit code. */
export async function withExitCode(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof ExitError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = error.code;
  }
}

export function usageError(message: string): ExitError {
  return new ExitError(ExitCode.usage, message);
}

export function connectError(message: string): ExitError {
  const isUntrusted = /SELF_SIGNED_CERT|UNABLE_TO_(GET_ISSUER|VERIFY)/.test(message);
  const advice = isUntrusted ? " Name the file of the server's certificate in NODE_EXTRA_CA_CERTS." : "";
  return new ExitError(ExitCode.couldNotConnect, message + advice);
}

/** The package contains the built tester without the platform; a checkout runs the sources. */
export const IS_PACKAGE = !import.meta.url.endsWith(".ts");

/** What users type. */
export const PROGRAM = IS_PACKAGE ? "fanfare-bench" : "pnpm bench";

/** @throws {ExitError} in the package */
export function requireCheckout(what: string): void {
  if (!IS_PACKAGE) return;
  throw usageError(
    `${what} needs a checkout of Fanfare: run pnpm bench there. ` +
      "To measure a running server, set its address with --url.",
  );
}
