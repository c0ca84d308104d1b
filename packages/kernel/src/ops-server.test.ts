import { expect, test } from "vitest";
import { Registry } from "./metrics.ts";
import { startOpsServer } from "./ops-server.ts";

test("reports overload, and stays ready", async () => {
  let seconds = 0;
  const server = await startOpsServer({
    host: "127.0.0.1",
    port: 0,
    metrics: async () => new Registry(),
    notReady: () => [],
    overloadedForSeconds: async () => seconds,
  });
  const ask = async (path: string, after: number) => {
    seconds = after;
    const answer = await fetch(`http://127.0.0.1:${server.port}${path}`);
    return [answer.status, await answer.text()];
  };
  expect(await ask("/readyz", 0)).toEqual([200, "ok\n"]);
  expect(await ask("/readyz", 300)).toEqual([200, expect.stringContaining("overloaded for 300 s")]);
  expect(await ask("/livez", 300)).toEqual([200, "ok\n"]);
  await server.close();
});
