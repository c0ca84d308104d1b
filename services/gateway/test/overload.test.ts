import type { WireAnswer } from "@fanfare/contract";
import { serviceError } from "@fanfare/kernel";
import { afterEach, beforeEach, expect, test } from "vitest";
import { LIGHT_CALLS } from "../src/admission.ts";
import { MAX_CALLS_IN_FLIGHT_PER_SOCKET, MAX_EXPORTS, MAX_EXPORTS_PER_USER } from "../src/constants.ts";
import { connect, startGateway, type Gateway } from "./support.ts";

const SOCKETS = 3;

let gateway: Gateway;
beforeEach(async () => {
  gateway = await startGateway();
});
afterEach(() => gateway.stop());

const readiness = async (): Promise<{ status: number; text: string }> => {
  const answer = await fetch(`${gateway.opsUrl}/readyz`);
  return { status: answer.status, text: await answer.text() };
};

test("when calls don't complete, a user with many is rejected, others are served, and the gateway recovers", async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<object>();
  const heavy = gateway.signIn();
  gateway.stubs.me = ({ userId }) => (userId === heavy.userId ? released : Promise.resolve({ user: {} }));
  const sockets = await Promise.all(
    Array.from({ length: SOCKETS }, () => connect(gateway, heavy.accessToken)),
  );
  const bystander = await connect(gateway);
  const running = sockets.flatMap((socket) =>
    Array.from({ length: MAX_CALLS_IN_FLIGHT_PER_SOCKET / 2 }, () => socket.call("user.me")),
  );
  await expect.poll(() => gateway.metric("fanfare_overloaded_seconds")).toBeGreaterThan(0);
  const limit = () => gateway.metric("fanfare_requests_active_max");
  await expect.poll(limit).toBeLessThan(running.length);

  const overloaded = new Promise<WireAnswer<unknown>>((resolve) => {
    for (let i = 0; i < 2 * LIGHT_CALLS; i += 1) {
      const more = sockets[i % SOCKETS]!.call("user.me").then((answer) => {
        if (!answer.ok && answer.error.type === "OVERLOADED") resolve(answer);
        return answer;
      });
      running.push(more);
    }
  });
  expect(await overloaded).toMatchObject({ error: { data: { retryAfterMs: expect.any(Number) } } });
  expect(await bystander.call("user.me")).toMatchObject({ ok: true });
  const newcomer = await connect(gateway);
  expect(await newcomer.call("user.me")).toMatchObject({ ok: true });
  expect(await readiness()).toEqual({ status: 200, text: expect.stringContaining("overloaded for") });
  expect((await fetch(`${gateway.opsUrl}/livez`)).status).toBe(200);

  release({ user: {} });
  await Promise.all(running);
  await expect.poll(readiness).toEqual({ status: 200, text: "ok\n" });
  expect(await sockets[0]!.call("user.me")).toMatchObject({ ok: true });
});

test("exports count before they start, for all and for each user, and no longer when their clients have left", async () => {
  const { promise: released, reject: release } = Promise.withResolvers<never>();
  released.catch(() => {});
  let waiting = 0;
  gateway.stubs.startExport = () => {
    waiting += 1;
    return released;
  };
  const leave = new AbortController();
  const newUser = () => {
    const headers = { authorization: `Bearer ${gateway.signIn().accessToken}` };
    return (options = {}) =>
      fetch(`${gateway.url}/api/group.export?groupId=${"a".repeat(24)}`, { headers, ...options });
  };
  const typeOf = async (response: Response) =>
    ((await response.json()) as { error: { type: string } }).error.type;
  const started: Promise<unknown>[] = [];
  while (started.length < MAX_EXPORTS) {
    const startOfUser = newUser();
    for (let i = 0; i < MAX_EXPORTS_PER_USER; i += 1) started.push(startOfUser(leave).catch(() => {}));
    await expect.poll(() => waiting).toBe(started.length);
    expect(await typeOf(await startOfUser())).toBe("OVERLOADED");
  }
  const start = newUser();
  expect(await typeOf(await start())).toBe("OVERLOADED");
  leave.abort();
  await Promise.all(started);
  gateway.stubs.startExport = () => Promise.reject(serviceError("GROUP_NOT_FOUND"));
  await expect.poll(async () => typeOf(await start())).toBe("GROUP_NOT_FOUND");
  release(serviceError("GROUP_NOT_FOUND"));
  await expect.poll(async () => typeOf(await start())).toBe("GROUP_NOT_FOUND");
});
