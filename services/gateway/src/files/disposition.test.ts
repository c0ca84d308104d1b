import { expect, test } from "vitest";
import { dispositionOf } from "./disposition.ts";

test.each([
  ["a b.txt", `attachment; filename="a b.txt"; filename*=UTF-8''a%20b.txt`],
  [
    '"; filename="x.exe',
    `attachment; filename="_; filename=_x.exe"; filename*=UTF-8''%22%3B%20filename%3D%22x.exe`,
  ],
  ["图'(1)*.png", `attachment; filename="_'(1)*.png"; filename*=UTF-8''%E5%9B%BE%27%281%29%2A.png`],
  [
    "a\r\nSet-Cookie: x",
    `attachment; filename="a__Set-Cookie: x"; filename*=UTF-8''a%0D%0ASet-Cookie%3A%20x`,
  ],
])("%j", (name, header) => {
  expect(dispositionOf("attachment", name)).toBe(header);
});
