export const ExitCode = {
  ok: 0,
  usage: 1,
  couldNotConnect: 2,
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

export function usageError(message: string): ExitError {
  return new ExitError(ExitCode.usage, message);
}

export function connectError(message: string): ExitError {
  return new ExitError(ExitCode.couldNotConnect, message);
}
