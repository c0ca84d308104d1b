import type { ErrorCode } from "@fanfare/contract";
import { expect } from "vitest";

/** Matches the answer to a call that failed with this error, whatever its text and data. */
export const failed = (type: ErrorCode) =>
  expect.objectContaining({ ok: false, error: expect.objectContaining({ type }) });
