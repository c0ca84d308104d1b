import { afterEach, expect, test, vi } from "vitest";
import { whenLoaded } from "./when-loaded.ts";

afterEach(() => void vi.unstubAllGlobals());

test("what failed without a network is loaded again, also if the network is back by then", async () => {
  vi.stubGlobal("navigator", { onLine: false });
  const load = vi.fn<() => Promise<string>>().mockImplementationOnce(() => {
    vi.stubGlobal("navigator", { onLine: true });
    return Promise.reject(new Error("offline"));
  });
  load.mockResolvedValue("text");
  expect(await whenLoaded(load)).toBe("text");
  await expect(whenLoaded(() => Promise.reject(new Error("gone")))).rejects.toThrow("gone");
});
