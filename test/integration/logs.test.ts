import { readFile } from "node:fs/promises";
import { ACTIONS, type ActionName } from "@fanfare/contract";
import { createGuest, isInstalled, must, post, postRaw } from "@fanfare/testing";
import { startCluster, type Cluster } from "../support/cluster.ts";
import { io } from "socket.io-client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const TEXT = "marker of a text";
const PASSWORD = "marker-of-a-password";
const OTHER_PASSWORD = "marker-of-another-password";
const EMAIL = "marker.of.an@e-mail.example.com";

type Line = Record<string, unknown> & { msg: string };

describe.skipIf(!isInstalled("nats-server") || !isInstalled("redis-server"))("logs of two processes", () => {
  let cluster: Cluster;
  let url: string;

  beforeAll(async () => {
    cluster = await startCluster({ gateways: 1, workers: 1, env: { LOG_LEVEL: "trace" } });
    ({ url } = cluster.gateways[0]!);
  });
  afterAll(() => cluster?.stop());

  const textOf = async (role: "gateways" | "workers"): Promise<string> =>
    readFile(cluster[role][0]!.process.logFile, "utf8");
  const linesOf = async (role: "gateways" | "workers"): Promise<Line[]> =>
    (await textOf(role))
      .split("\n")
      // The last line may be incomplete.
      .slice(0, -1)
      // The setup link is printed next to the log.
      .filter((line) => line.startsWith("{"))
      .map((line) => JSON.parse(line) as Line);

  test("have the request ID that the client got, on every line of a request in both processes", async () => {
    const { accessToken } = await createGuest(url);
    const response = await fetch(`${url}/api/message.get`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${accessToken}` },
      body: JSON.stringify({ channelId: "0".repeat(24), messageId: "0".repeat(24) }),
    });
    const requestId = response.headers.get("x-request-id")!;
    const answer = (await response.json()) as { error: { type: string; requestId: string } };
    expect(answer.error.requestId).toBe(requestId);
    const of = async (role: "gateways" | "workers") =>
      (await linesOf(role)).filter((line) => line["requestId"] === requestId);
    await expect.poll(() => of("gateways")).toHaveLength(1);
    const [atGateway] = await of("gateways");
    expect(atGateway).toMatchObject({
      level: "debug",
      action: "message.get",
      transport: "http",
      outcome: answer.error.type,
      durationMs: expect.any(Number),
      node: expect.any(String),
      pid: expect.any(Number),
      time: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    const outcomes = async () => (await of("workers")).map(({ outcome }) => outcome);
    await expect.poll(outcomes).toContain(answer.error.type);
    const atWorker = await of("workers");
    for (const { node } of atWorker) expect(node).not.toBe(atGateway!["node"]);
  });

  test("have the request ID of an error answered over the socket", async () => {
    const { accessToken } = await createGuest(url);
    const socket = io(url, {
      transports: ["websocket"],
      auth: { token: accessToken },
      reconnection: false,
    });
    await new Promise((resolve) => socket.once("ready", resolve));
    const answer = (await socket.emitWithAck("message.list", { channelId: "0".repeat(24) })) as {
      error: { requestId: string };
    };
    socket.close();
    const { requestId } = answer.error;
    expect(requestId).toMatch(/^[\w.-]+$/);
    for (const role of ["gateways", "workers"] as const) {
      const found = async () => (await linesOf(role)).filter((line) => line["requestId"] === requestId);
      await expect.poll(found).not.toHaveLength(0);
    }
  });

  test("contain no message, password, token or email address, whichever action is called", async () => {
    const secrets = [TEXT, PASSWORD, OTHER_PASSWORD, EMAIL, "e-mail.example.com"];
    const account = { username: "marked", password: PASSWORD, email: EMAIL };
    const owner = await must(url, "user.register", account);
    let token = owner.accessToken;
    secrets.push(token, owner.refreshToken);
    await post(url, "user.register", account);
    await post(url, "user.register", { ...account, username: "other" });
    await must(url, "user.login", account);
    await must(url, "user.login", { username: EMAIL, password: PASSWORD });
    await post(url, "user.login", { username: EMAIL, password: OTHER_PASSWORD });
    await must(url, "user.refresh", { refreshToken: owner.refreshToken });
    const passwords = { oldPassword: PASSWORD, newPassword: OTHER_PASSWORD };
    const changed = await must(url, "user.changePassword", passwords, token);
    token = changed.accessToken;
    secrets.push(token, changed.refreshToken);

    const { group, channels } = await must(url, "group.create", { name: "Group" }, token);
    const channelId = channels[0]!.id;
    const { message } = await must(url, "message.send", { channelId, content: TEXT, nonce: "1" }, token);
    await must(url, "message.edit", { channelId, messageId: message.id, content: `${TEXT} 2` }, token);
    await must(url, "message.search", { groupId: group.id, text: TEXT }, token).catch(() => undefined);
    const webhook = await must(url, "webhook.create", { channelId, name: "Hook" }, token);
    secrets.push(webhook.token);
    await postRaw(url, `webhooks/${webhook.webhook.id}/${webhook.token}`, JSON.stringify({ content: TEXT }));
    const bot = await must(
      url,
      "bot.create",
      { groupId: group.id, name: "Bot", scopes: ["messages.write"] },
      token,
    );
    secrets.push(bot.token);
    await postRaw(url, "message.send", JSON.stringify({ channelId, content: TEXT, nonce: "2" }), bot.token);
    await must(url, "message.delete", { channelId, messageId: message.id }, token);

    // Every other action, with plausible parameters and with malformed ones.
    const all = {
      ...account,
      channelId,
      groupId: group.id,
      messageId: message.id,
      content: TEXT,
      nonce: "3",
    };
    const more = {
      text: TEXT,
      query: TEXT,
      name: TEXT,
      token,
      refreshToken: token,
      code: TEXT,
      login: EMAIL,
    };
    for (const name of Object.keys(ACTIONS) as ActionName[]) {
      if (/^user\.(logout|logoutAll|delete)|^group\.(delete|leave|transfer)/.test(name)) continue;
      await postRaw(url, name, JSON.stringify({ ...all, ...more }), token);
      await postRaw(url, name, JSON.stringify({ ...more, content: TEXT }));
    }
    await postRaw(url, "message.send", `{"content": ${TEXT}`, token);

    const [atGateway, atWorker] = [await textOf("gateways"), await textOf("workers")];
    expect(atWorker.split("\n").length).toBeGreaterThan(100);
    for (const secret of secrets) {
      expect(atGateway).not.toContain(secret);
      expect(atWorker).not.toContain(secret);
    }
    for (const role of ["gateways", "workers"] as const) {
      const answered = (await linesOf(role)).filter(({ msg }) => msg.endsWith("answered"));
      for (const line of answered) expect(line["requestId"]).toEqual(expect.any(String));
    }
  });
});
