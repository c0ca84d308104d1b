import { destination, pino, type Logger } from "pino";

export type { Logger };

/**
 * JSON lines on stderr, so that stdout stays free for what a person reads.
 * Tokens and passwords are never logged, whatever object they come in.
 */
export function createLogger(level: string): Logger {
  return pino(
    {
      level,
      base: { pid: process.pid },
      redact: ["*.password", "*.accessToken", "*.refreshToken", "*.token", "req.headers.authorization"],
    },
    destination(2),
  );
}
