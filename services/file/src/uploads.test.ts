import { expect, test } from "vitest";
import { safeFileName, withExtension } from "./uploads.ts";

test.each([
  ["notes.txt", "notes.txt"],
  ["../../etc/passwd", ".._.._etc_passwd"],
  ["..\\..\\boot.ini", ".._.._boot.ini"],
  ["..", "file"],
  [".", "file"],
  ["....", "file"],
  ["a. .", "a"],
  [".gitignore", ".gitignore"],
  ["C:file", "C_file"],
  ["图片 1.png", "图片 1.png"],
])("%j is stored as %j", (given, safe) => {
  expect(safeFileName(given)).toBe(safe);
});

test.each([
  ["photo.avif", "photo.webp"],
  ["photo", "photo.webp"],
  [".hidden", ".hidden.webp"],
  ["a sentence. And another one", "a sentence. And another one.webp"],
])("%j with another extension is %j", (given, changed) => {
  expect(withExtension(given, "webp")).toBe(changed);
});
