import { afterEach, expect, test } from "vitest";
import { CHANNEL_ID, startGateway, type Gateway } from "./support.ts";

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
