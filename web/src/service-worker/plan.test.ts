import { expect, test } from "vitest";
import { type RequestInfo, planFor, windowToUse, notificationOf } from "./plan.ts";

const ORIGIN = "https://chat.example";
const plan = (query: Partial<RequestInfo>) =>
  planFor(
    { method: "GET", mode: "cors", origin: ORIGIN, path: "/", ...query },
    ORIGIN,
    new Set(["/theme.js"]),
  );

test.each([
  "/api/user.me",
  "/api/docs",
  "/docs",
  "/docs/run/",
  "/diagram.html",
  "/auth/oidc/start",
  "/files/f1/secret.png",
  "/files/public/p",
  "/socket.io/",
  "/auth/oidc/callback",
  "/api",
])("never caches %s", (path) => {
  expect(plan({ path })).toBeNull();
  expect(plan({ path, mode: "navigate" })).toBeNull();
});

test.each(["/", "/groups/a/channels/b", "/filesystem"])(
  "loads the page %s from the network first",
  (path) => {
    expect(plan({ path, mode: "navigate" })).toBe("page");
  },
);

test("built files are cached", () => {
  expect(plan({ path: "/assets/index-abc.js" })).toBe("kept");
  expect(plan({ path: "/theme.js" })).toBe("kept");
  expect(plan({ path: "/sw.js" })).toBeNull();
});

test("keeps what another app shares", () => {
  expect(plan({ path: "/new-message", method: "POST", mode: "navigate" })).toBe("share");
  expect(plan({ path: "/new-message", method: "POST" })).toBeNull();
  expect(plan({ path: "/new-message", mode: "navigate" })).toBe("page");
});

test("only handles same-origin reads", () => {
  expect(plan({ path: "/assets/a.js", method: "POST" })).toBeNull();
  expect(plan({ path: "/assets/a.js", origin: "https://other.example" })).toBeNull();
});

test("a notification opens in the last used window of the application, not in a guide or a file", () => {
  const at = (path: string, focused = false) => ({ url: ORIGIN + path, focused });
  const guide = at("/docs/use/", true);
  const file = at("/files/f1/plan.png");
  expect(windowToUse([guide, file])).toBeUndefined();
  const inbox = at("/inbox?x=/docs/");
  expect(windowToUse([guide, file, inbox, at("/direct")])).toBe(inbox);
  const focused = at("/direct", true);
  expect(windowToUse([inbox, focused])).toBe(focused);
});

const id = (digit: string) => digit.repeat(24);
const pushed = {
  title: "Ada mentioned you",
  body: "Hello",
  channelId: id("c"),
  groupId: id("a"),
  messageId: id("e"),
};

test("a click opens the message", () => {
  expect(notificationOf(pushed)).toEqual({
    title: "Ada mentioned you",
    body: "Hello",
    tag: id("c"),
    path: `/groups/${id("a")}/channels/${id("c")}?message=${id("e")}`,
  });
  expect(notificationOf({ ...pushed, groupId: null }).path).toBe(`/direct/${id("c")}?message=${id("e")}`);
});

test("an invalid payload only opens the home page", () => {
  for (const odd of [null, "x", {}, { ...pushed, channelId: "//evil.example" }, { ...pushed, groupId: 1 }]) {
    expect(notificationOf(odd)).toMatchObject({ title: "Fanfare", path: "/" });
  }
});
