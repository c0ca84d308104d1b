import { expect } from "vitest";
import type { Result } from "../src/report/result.ts";

/** Memory is sampled before the first phase, and after its start. */
export function expectSamples({ series }: Result): void {
  const { points } = series.find(({ label }) => label === "Memory of the services")!;
  expect([...new Set(points.map(({ kind }) => kind))]).toEqual(["before the load", "from the load on"]);
}
