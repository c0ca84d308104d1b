import { createCipheriv, randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { createSealer, createSigner } from "./sealer.ts";

const [key, other] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
const sealer = createSealer(key, null);

test("sealed texts reveal nothing and are never equal", () => {
  const sealed = sealer.seal("secret 密", "ann");
  expect(sealed).toMatch(/^v1\.[\w-]+$/);
  expect(Buffer.from(sealed.slice(3), "base64url").toString("latin1")).not.toContain("secret");
  expect(sealer.seal("secret 密", "ann")).not.toBe(sealed);
  expect(sealer.open(sealed, "ann")).toEqual({ text: "secret 密", isOld: false });
});

test("opens only with its key and for the same owner", () => {
  const sealed = sealer.seal("secret", "ann");
  expect(createSealer(other, null).open(sealed, "ann")).toBeNull();
  expect(sealer.open(sealed, "bob")).toBeNull();
});

test("does not open modified, truncated or forged texts", () => {
  const sealed = sealer.seal("secret", "ann");
  const bytes = Buffer.from(sealed.slice(3), "base64url");
  for (let i = 0; i < bytes.length; i += 1) {
    const changed = Buffer.from(bytes);
    changed[i]! ^= 1;
    expect(sealer.open(`v1.${changed.toString("base64url")}`, "ann")).toBeNull();
  }
  for (const cut of ["", "v1.", "v1.AAAA", sealed.slice(0, -4), `v2.${sealed.slice(3)}`])
    expect(sealer.open(cut, "ann")).toBeNull();
});

test("opens texts sealed with the previous secret and marks them as old", () => {
  const sealed = sealer.seal("secret", "ann");
  const rotated = createSealer(other, key);
  expect(rotated.open(sealed, "ann")).toEqual({ text: "secret", isOld: true });
  expect(rotated.open(rotated.seal("secret", "ann"), "ann")).toEqual({ text: "secret", isOld: false });
});

test("opens texts without a version and marks them as old", () => {
  const iv = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", key, iv);
  const text = Buffer.concat([cipher.update("secret", "utf8"), cipher.final()]);
  const sealed = Buffer.concat([iv, cipher.getAuthTag(), text]).toString("base64url");
  expect(sealer.open(sealed, "ann")).toEqual({ text: "secret", isOld: true });
});

test("signatures are valid for their text, and also those of the previous secret", () => {
  const signature = createSigner(key, null).sign("text");
  expect(signature).toMatch(/^[\w-]{43}$/);
  for (const signer of [createSigner(key, null), createSigner(other, key)]) {
    expect(signer.verify("text", signature)).toBe(true);
    expect(signer.verify("texts", signature)).toBe(false);
    for (const bad of [
      "",
      "é".repeat(43),
      signature.slice(1),
      `A${signature}`,
      `${signature}!`,
      `${signature}=`,
    ])
      expect(signer.verify("text", bad)).toBe(false);
  }
  expect(createSigner(other, null).verify("text", signature)).toBe(false);
});
