import { FanfareError, type FanfareClient } from "@fanfare/client";
import { afterEach, expect, test, vi } from "vitest";
import { ServerCache } from "../data/cache.ts";
import { newQueryClient } from "../data/data-context.ts";
import { uploadsOf } from "./uploads.ts";

/** A client whose uploads the test ends. */
function newClient() {
  const uploads: PromiseWithResolvers<{ fileId: string }>[] = [];
  let notify: (change: { state: string }) => void = () => undefined;
  const client = {
    state: "online",
    on(event: string, listener: typeof notify) {
      if (event === "connection.changed") notify = listener;
      return () => undefined;
    },
    wrapCalls: () => undefined,
    upload() {
      const upload = Promise.withResolvers<{ fileId: string }>();
      uploads.push(upload);
      return upload.promise;
    },
  } as unknown as FanfareClient;
  const connect = (state: "online" | "offline") => {
    Object.assign(client, { state });
    notify({ state });
  };
  return { store: uploadsOf(new ServerCache(client, newQueryClient())), uploads, connect };
}

afterEach(() => void vi.useRealTimers());

const failure = (type: "CONNECTION_LOST" | "STORAGE_FULL") =>
  new FanfareError({ type, message: "", retryable: false, requestId: "" });
const file = () => new File(["text"], "a.txt");

test("an upload that lost the connection is in progress until it is repeated", async () => {
  const { store, uploads, connect } = newClient();
  store.add("c", [file()]);
  const settled = store.whenSettled("c");
  connect("offline");
  uploads[0]!.reject(failure("CONNECTION_LOST"));
  await expect.poll(() => store.of("c")[0]!.state).toBe("failed");
  connect("online");
  uploads[1]!.resolve({ fileId: "f" });
  expect(await settled).toBe(true);
  expect(store.take("c")).toEqual(["f"]);
});

test("an upload that the server refused has ended", async () => {
  const { store, uploads } = newClient();
  store.add("c", [file()]);
  const settled = store.whenSettled("c");
  uploads[0]!.reject(failure("STORAGE_FULL"));
  expect(await settled).toBe(false);
});

test("an upload that is lost without the client's connection is repeated once", async () => {
  vi.useFakeTimers();
  const { store, uploads } = newClient();
  store.add("c", [file()]);
  const settled = store.whenSettled("c");
  uploads[0]!.reject(failure("CONNECTION_LOST"));
  await vi.runAllTimersAsync();
  expect(store.of("c")[0]!.state).toBe("sending");
  uploads[1]!.reject(failure("CONNECTION_LOST"));
  await vi.runAllTimersAsync();
  expect(await settled).toBe(false);
  expect(uploads).toHaveLength(2);
});
