import type { AdminUser } from "@fanfare/contract";
import { expect, test } from "vitest";
import { userActionsFor } from "./admin-users.tsx";

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
  expect(userActionsFor(user({}), "b")).toEqual(["makeAdmin", "sendReset", "resetTotp", "disable"]);
  expect(userActionsFor(user({ kind: "guest" }), "b")).toEqual(["disable"]);
  expect(userActionsFor(user({ disabledAt: "2026-11-21T00:00:00.000Z" }), "b")).toEqual(["enable"]);
  expect(userActionsFor(user({ admin: true }), "b")).not.toContain("disable");
  expect(userActionsFor(user({ admin: true }), "a")).toEqual(["removeAdmin"]);
});
