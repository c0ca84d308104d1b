import { expect, test } from "vitest";
import { Registry } from "./metrics.ts";
import { startOpsServer } from "./ops-server.ts";

test.each([
  [false, [200, 200, 200]],
  [true, [200, 200, 503]],
])(
  "reports overload, and becomes not ready only if there are other gateways (%s)",
  async (hasOthers, statuses) => {
    let seconds = 0;
    const server = await startOpsServer({
      host: "127.0.0.1",
      port: 0,
      metrics: async () => new Registry(),
      notReady: () => [],
      overloadedForSeconds: async () => seconds,
      hasOthers,
    });
    const ask = async (path: string, after: number) => {
      seconds = after;
      const answer = await fetch(`http://127.0.0.1:${server.port}${path}`);
      return [answer.status, await answer.text()];
    };
    expect(await ask("/readyz", 0)).toEqual([statuses[0], "ok\n"]);
    for (const [index, after] of [
      [1, 29],
      [2, 30],
    ] as const)
      expect(await ask("/readyz", after)).toEqual([
        statuses[index],
        expect.stringContaining(`overloaded for ${after} s`),
      ]);
    expect(await ask("/livez", 30)).toEqual([200, "ok\n"]);
    await server.close();
  },
);
