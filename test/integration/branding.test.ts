import type { ErrorCode, Meta, Params } from "@fanfare/contract";
import { createAccount, must, post, type Person } from "@fanfare/testing";
import sharp from "sharp";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fileOf, uploadPicture } from "../../services/file/test/upload.ts";
import { startInstance, type Instance } from "../support/instance.ts";

// The name and looks that admins give an instance, on two gateways.

let instance: Instance;
let admin: Person;
let member: Person;
beforeAll(async () => {
  instance = await startInstance({ GATEWAY_THREADS: "2" });
  admin = await createAccount(instance.url);
  member = await createAccount(instance.url);
});
afterAll(() => instance?.stop());

const branding = async (): Promise<Meta["branding"]> => {
  const response = await fetch(`${instance.url}/api/meta`);
  return ((await response.json()) as Meta).branding;
};
const change = (changes: Params<"admin.setBranding">, { accessToken } = admin) =>
  post(instance.url, "admin.setBranding", changes, accessToken);
const failed = (type: ErrorCode) => ({ ok: false, error: { type } });
const pictureOf = async (who: Person) => {
  const body = await sharp({ create: { width: 400, height: 300, channels: 3, background: "teal" } })
    .png()
    .toBuffer();
  return fileOf(await uploadPicture(instance.url, who, body)).fileId;
};

test("an instance is called Fanfare until an admin changes it", async () => {
  const unbranded = { name: "Fanfare", accentColor: null, landingText: "", logoUrl: null };
  expect(await branding()).toEqual({ ...unbranded, accentShades: null });
  const changes = { name: "Harbor", landingText: "For everyone\nat the harbor" };
  expect(await change(changes)).toEqual({ ok: true, data: { branding: { ...unbranded, ...changes } } });
  await expect.poll(branding).toMatchObject(changes);
  // What isn't mentioned stays.
  expect(await change({ accentColor: "#0A64C8" })).toMatchObject({ ok: true });
  await expect.poll(branding).toMatchObject({
    ...changes,
    accentColor: "#0a64c8",
    accentShades: { light: { accent: "#0a64c8" } },
  });
  expect(await change({ accentColor: null })).toMatchObject({ ok: true });
  await expect.poll(async () => (await branding()).accentShades).toBeNull();
  const { entries } = await must(instance.url, "admin.auditLog", {}, admin.accessToken);
  expect(entries).toContainEqual(
    expect.objectContaining({
      actorId: admin.userId,
      action: "admin.setBranding",
      params: changes,
      outcome: "done",
    }),
  );
});

test("refuses what is too long, invisible or not a color, and everyone but admins", async () => {
  const invalid: Params<"admin.setBranding">[] = [
    { name: "" },
    { name: "\u200b" },
    { name: "n".repeat(41) },
    { landingText: "t".repeat(501) },
    { accentColor: "red" },
    { accentColor: "#fff" },
    { accentColor: "#00000g" },
  ];
  for (const changes of invalid) expect(await change(changes)).toMatchObject(failed("VALIDATION_FAILED"));
  expect(await change({ name: "n".repeat(40), landingText: "t".repeat(500) })).toMatchObject({ ok: true });
  expect(await change({ name: "Mine" }, member)).toMatchObject(failed("FORBIDDEN"));
  const fileId = await pictureOf(member);
  expect(await post(instance.url, "admin.setLogo", { fileId }, member.accessToken)).toMatchObject(
    failed("FORBIDDEN"),
  );
});

test("the logo is public, and replaced by the next", async () => {
  const set = async () =>
    (await must(instance.url, "admin.setLogo", { fileId: await pictureOf(admin) }, admin.accessToken))
      .branding.logoUrl!;
  const first = await set();
  const picture = await fetch(instance.url + first);
  expect(await sharp(await picture.arrayBuffer()).metadata()).toMatchObject({
    format: "webp",
    width: 256,
    height: 256,
  });
  const second = await set();
  expect(second).not.toBe(first);
  await expect.poll(branding).toMatchObject({ logoUrl: second });
  const { files } = await must(instance.url, "file.listMine", {}, admin.accessToken);
  expect(files).toHaveLength(1);
  const removed = await must(instance.url, "admin.removeLogo", {}, admin.accessToken);
  expect(removed.branding.logoUrl).toBeNull();
  await expect.poll(branding).toMatchObject({ logoUrl: null });
  expect((await must(instance.url, "file.listMine", {}, admin.accessToken)).files).toEqual([]);
});
