import { expect, test } from "vitest";
import { fit } from "./attachments.tsx";

test("shrinks images to fit and never enlarges them", () => {
  const box = { width: 400, height: 300 };
  expect(fit(800, 300, box)).toEqual({ width: 400, height: 150 });
  expect(fit(300, 900, box)).toEqual({ width: 100, height: 300 });
  expect(fit(20, 10, box)).toEqual({ width: 20, height: 10 });
  expect(fit(100_000, 1, box)).toEqual({ width: 400, height: 1 });
});
