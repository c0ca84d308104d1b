import { expect, test } from "vitest";
import { nativeOf } from "./native.ts";

const SERVER = { origin: "https://chat.example.com", name: "Example" };

interface Phone {
  platform?: string;
  /** Whether the app was built for pushes. Default: true */
  push?: boolean;
  receive?: string;
  /** What registering brings. Default: nothing, as without a network. */
  event?: "registration" | "registrationError";
  /** Whether the user turned on the server's notifications. Default: true */
  allows?: boolean;
}

/** Opens a server in an app. @returns what the app hands over */
async function open({ platform = "android", push = true, receive = "granted", event, allows = true }: Phone) {
  const kept = new Map<string, string>();
  const localStorage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  };
  const opened: object[] = [];
  const listeners = new Map<string, (event: object) => void>();
  const Capacitor = {
    getPlatform: () => platform,
    Plugins: {
      CapacitorHttp: {},
      PushNotifications: {
        requestPermissions: async () => {
          if (!push) throw new Error("The user is asked in vain.");
          return { receive };
        },
        register: async () => {
          if (event !== undefined) listeners.get(event)!({ value: "TOKEN:1" });
        },
        addListener: async (name: string, listener: (event: object) => void) => {
          listeners.set(name, listener);
        },
      },
      Servers: {
        list: async () => ({ current: null, list: [], push }),
        open: async (options: object) => void opened.push(options),
        remove: async () => ({ current: null, list: [] }),
      },
    },
  };
  const start = () => nativeOf({ Capacitor, localStorage } as never);
  start().allowPush(SERVER.origin);
  if (!allows) await start().removeServer(SERVER.origin);
  expect(await start().openServer(SERVER, "/inbox")).toBeNull();
  return opened;
}

test.each<[string, Phone, string]>([
  ["Android", { event: "registration" }, "fcm:TOKEN:1"],
  ["iOS", { platform: "ios", event: "registration" }, "apns:token:1"],
  ["before the user wants notifications", { allows: false, event: "registration" }, ""],
  ["without permission", { receive: "denied", event: "registration" }, ""],
  ["without a key of Firebase", { push: false }, ""],
  ["when registering fails", { event: "registrationError" }, ""],
  ["without a network", {}, ""],
])("a server is opened, and told how it reaches the app: %s", async (_, phone, push) => {
  expect(await open(phone)).toEqual([{ ...SERVER, path: "/inbox", push }]);
});
