import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { postToFanfare } from "../../src/bridge/to-fanfare.ts";

test("a message with files that take too long is posted without them", async () => {
  const posted: unknown[] = [];
  const server = createServer(async (request, response) => {
    // Forms are never answered.
    if (request.headers["content-type"] !== "application/json") return;
    posted.push(JSON.parse(await text(request)));
    response.end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const file = { Name: "a.bin", Data: Buffer.from("bytes").toString("base64"), URL: "", Comment: "" };
    const message = {
      text: "look",
      username: "ada",
      avatar: "",
      event: "",
      gateway: "irc",
      protocol: "irc",
      Extra: { file: [file] },
    };
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/webhooks/id/token`;
    const channel = { gateway: "irc", webhook: { url, webhookId: "id", token: "token" } };
    const logged: string[] = [];
    await postToFanfare(message, channel, {
      signal: AbortSignal.timeout(60_000),
      log: (line) => logged.push(line),
      filesTimeoutMs: 200,
    });
    expect(posted).toMatchObject([{ content: "look\n📎 a.bin", name: "ada" }]);
    expect(logged).toHaveLength(1);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
