import { createHmac, randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { FileUrls, type SignedFile } from "./file-urls.ts";

const NOW = 1_800_000_000_000;
function newUrls(): FileUrls {
  const key = randomBytes(32);
  const sign = (text: string) => createHmac("sha256", key).update(text).digest("base64url");
  return new FileUrls({ sign, verify: (text, signature) => sign(text) === signature });
}
const urls = newUrls();
const file: SignedFile = {
  fileId: "a".repeat(24),
  variant: "raw",
  name: "Ä & ../b?.txt",
  contentType: "text/plain",
  expiresAtMs: NOW + 1000,
};

/** Verifies a URL as the server does: with a decoded path and a parsed query. */
function verify(address: string, nowMs = NOW, signer = urls) {
  const { pathname, searchParams } = new URL(address, "http://localhost");
  const [, , fileId = "", name = ""] = pathname.split("/");
  return signer.verify({ fileId, name: decodeURIComponent(name) }, Object.fromEntries(searchParams), nowMs);
}

test("a URL is valid until it expires", () => {
  expect(verify(urls.sign(file))).toEqual(file);
  expect(verify(urls.sign(file), NOW + 999)).toEqual(file);
  expect(verify(urls.sign(file), NOW + 1000)).toBeNull();
});

test("rejects modified URLs and foreign keys", () => {
  const address = urls.sign(file);
  const changes: [string, string][] = [
    ["a".repeat(24), "b".repeat(24)],
    [".txt", ".html"],
    ["as=raw", "as=image"],
    ["text%2Fplain", "text%2Fhtml"],
    [`until=${NOW + 1000}`, `until=${NOW + 9000}`],
  ];
  for (const [from, to] of changes) {
    expect(address).toContain(from);
    expect(verify(address.replace(from, to))).toBeNull();
  }
  expect(verify(address, NOW, newUrls())).toBeNull();
});

test("rejects malformed URLs without throwing", () => {
  const query = Object.fromEntries(new URL(urls.sign(file), "http://localhost").searchParams);
  const path = { fileId: file.fileId, name: file.name };
  expect(urls.verify(path, query, NOW)).toEqual(file);
  for (const bad of [
    {},
    { ...query, sig: "" },
    { ...query, sig: "é".repeat(43) },
    { ...query, sig: [query["sig"], query["sig"]] },
    { ...query, as: "__proto__" },
    { ...query, until: "9".repeat(400) },
    { ...query, until: "-1" },
  ])
    expect(urls.verify(path, bad, NOW)).toBeNull();
  expect(urls.verify({ ...path, fileId: "../../etc" }, query, NOW)).toBeNull();
});
