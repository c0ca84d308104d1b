import { expect, test } from "vitest";
import { pictureKey, storageKey } from "./file-urls.ts";

test("keys consist of ids only", () => {
  const id = `${"0".repeat(22)}ab`;
  expect(storageKey(id, "thumb")).toBe(`ab/${id}.thumb`);
  expect(pictureKey(`${id}-${"f".repeat(16)}`)).toBe(`public/${id}-${"f".repeat(16)}.webp`);
  for (const bad of ["", "..", `../${id}`, `${id}/..`, id.toUpperCase(), `${id}\n`]) {
    expect(() => storageKey(bad, "raw")).toThrow("not the id");
    expect(() => pictureKey(bad)).toThrow("not the name");
  }
});
