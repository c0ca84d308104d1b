import { usageError } from "./exit.ts";

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
