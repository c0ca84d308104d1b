import type { WatchedCluster } from "../../../packages/kernel/src/cluster.ts";
import { afterEach, expect, test } from "vitest";
import { CHANNEL_ID, connect, startGateway, type Gateway } from "./support.ts";

let gateway: Gateway | undefined;
afterEach(async () => {
  await gateway?.stop();
});

const send = JSON.stringify({ channelId: CHANNEL_ID, content: "x", nonce: "n" });

test("a gateway that starts during maintenance rejects changes from its first call on", async () => {
  gateway = await startGateway({}, { maintenance: { enabled: true, message: "" } });
  const bearer = ({ accessToken }: { accessToken: string }) => ({ authorization: `Bearer ${accessToken}` });
  const someone = bearer(gateway.signIn());
  const { status, answer, headers } = await gateway.post("message.send", send, someone);
  expect(status).toBe(503);
  expect(answer).toMatchObject({
    error: { type: "MAINTENANCE", data: { message: expect.stringMatching(/\w/) } },
  });
  expect(headers.get("retry-after")).toBe("15");
  expect((await gateway.post("user.me", "{}", someone)).status).toBe(200);

  const { accessToken } = gateway.node.tokens.sign({ ...gateway.signIn(), admin: true });
  expect((await gateway.post("message.send", send, bearer({ accessToken }))).status).toBe(200);
});

test("a client that connects during maintenance is notified, after `ready`", async () => {
  gateway = await startGateway({}, { maintenance: { enabled: true, message: "Moving" } });
  const client = await connect(gateway);
  expect(await client.event("server.paused")).toEqual({ message: "Moving" });
  expect(client.received.map(([name]) => name)).toEqual(["ready", "server.paused"]);
  client.socket.close();
});

test("clients are notified of a change whose event was lost", async () => {
  gateway = await startGateway();
  const client = await connect(gateway);
  const eventsMissed = () => (gateway!.node.cluster as WatchedCluster).missed();
  gateway.stubs.maintenance = { enabled: true, message: "Moving" };
  eventsMissed();
  expect(await client.event("server.paused")).toEqual({ message: "Moving" });
  gateway.stubs.maintenance = { enabled: false, message: "" };
  eventsMissed();
  expect(await client.event("server.resumed")).toEqual({});
  client.socket.close();
});
