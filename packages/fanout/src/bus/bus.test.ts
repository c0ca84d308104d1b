import { expect, test } from "vitest";
import { encodeToken, Subjects } from "./bus.ts";

test("encodes different names as different single tokens", () => {
  const names = ["a", "A", "a.b", "a_b", "", "=", "=YQ", "+", "*", ">", " ", "é", "a b", "a\r\nPUB x 0"];
  names.push("x".repeat(128), "x".repeat(129), "x".repeat(600), `${"x".repeat(600)}y`);
  const tokens = names.map(encodeToken);
  expect(new Set(tokens).size).toBe(names.length);
  for (const token of tokens) expect(token).toMatch(/^[\w:@/=+-]{1,700}$/);
  expect(encodeToken("user:6740b7c2f1d2a90012ab34cd")).toBe("user:6740b7c2f1d2a90012ab34cd");
});

test("namespaces have separate subjects", () => {
  const main = new Subjects("fanfare", "/");
  const other = new Subjects("fanfare", "/admin");
  expect(main.room("a")).toBe("fanfare.room.a");
  expect(other.room("a")).toBe("fanfare.nsp./admin.room.a");
  expect(main.room("nsp")).not.toBe(other.all);
  expect(main.room("0SvJpUD3cYKM_-GbAAAB")).toBe(main.all);
});
