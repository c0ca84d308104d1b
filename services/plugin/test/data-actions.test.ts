import type { Handlers } from "@fanfare/kernel";
import { expect, test, vi } from "vitest";
import { dataActions } from "../src/plugin.service.ts";

type Dependencies = Parameters<typeof dataActions>[0];
type Request = Parameters<NonNullable<Handlers["plugin.removeData"]>>[0];

/** Values of `gone` are stored; `here` is a plug-in of this process, and `there` of another. */
function setUp(unresponsive: number) {
  const removeOf = vi.fn<Dependencies["values"]["removeOf"]>(async () => {});
  const installed = { name: "there", version: "1", server: null };
  const actions = dataActions({
    node: {
      callEach: (async () => ({ results: [{ plugins: [installed] }], unresponsive })) as never,
    },
    plugins: [{ manifest: { name: "here" } }] as unknown as Dependencies["plugins"],
    values: { count: async () => ["gone", "here"].map((plugin) => ({ plugin, values: 1 })), removeOf },
  });
  const remove = async (plugin: string) =>
    actions["plugin.removeData"]!({ params: { plugin } } as unknown as Request);
  const leftovers = async () => (await actions["admin.listPlugins"]!({} as never)).leftovers;
  return { remove, leftovers, removeOf };
}

test("data of plug-ins that no process has can be deleted", async () => {
  const { remove, leftovers, removeOf } = setUp(0);
  expect(await leftovers()).toEqual([{ plugin: "gone", values: 1 }]);
  for (const plugin of ["here", "there"])
    await expect(remove(plugin)).rejects.toMatchObject({ type: "VALIDATION_FAILED" });
  await remove("gone");
  expect(removeOf.mock.calls).toEqual([["gone"]]);
});

test("nothing is deleted while a process does not answer: it can run the plug-in", async () => {
  const { remove, leftovers, removeOf } = setUp(1);
  expect(await leftovers()).toEqual([]);
  await expect(remove("gone")).rejects.toMatchObject({ type: "UNAVAILABLE" });
  expect(removeOf).not.toHaveBeenCalled();
});
