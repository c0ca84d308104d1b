import type { AdminUser } from "@fanfare/contract";
import { expect, test } from "vitest";
import { deedsFor } from "./admin-users.tsx";

const user = (about: Partial<AdminUser>): AdminUser => ({
  id: "a",
  username: "ada",
  nickname: "Ada",
  bio: "",
  avatarUrl: null,
  kind: "member",
  createdAt: "2026-11-21T00:00:00.000Z",
  email: null,
  admin: false,
  totpEnabled: false,
  disabledAt: null,
  ...about,
});

test("offers only actions that the server allows", () => {
  expect(deedsFor(user({}), "b")).toEqual(["makeAdmin", "sendReset", "resetTotp", "disable"]);
  expect(deedsFor(user({ kind: "guest" }), "b")).toEqual(["disable"]);
  expect(deedsFor(user({ disabledAt: "2026-11-21T00:00:00.000Z" }), "b")).toEqual(["enable"]);
  expect(deedsFor(user({ admin: true }), "b")).not.toContain("disable");
  expect(deedsFor(user({ admin: true }), "a")).toEqual(["takeAdmin"]);
});
