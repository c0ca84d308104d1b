import { createServer } from "node:http";
import { describe, expect, test, vi } from "vitest";
import { centrifugo } from "../src/targets/centrifugo.ts";
import { mattermost } from "../src/targets/mattermost.ts";
import { rocketchat } from "../src/targets/rocketchat.ts";
import type { Result } from "../src/report/result.ts";
import { ALL_RECEIVED, eachWith, receivedByExisting, membersOf, type Fake } from "./each-with.ts";
import { startFakeCentrifugo } from "./fake-centrifugo.ts";
import { startFakeMatrix } from "./fake-matrix.ts";
import { startFakeMattermost } from "./fake-mattermost.ts";
import { startFakeRocketchat } from "./fake-rocketchat.ts";
import { startFakeZulip } from "./fake-zulip.ts";
import { CLIENTS, measure } from "./measure.ts";
import { metricValues } from "./metric-value.ts";
import { Bench } from "./run-bench.ts";
import { listen } from "./serve-fake.ts";

const SERVERS = [
  { name: "centrifugo", start: startFakeCentrifugo, stores: false },
  { name: "matrix", start: startFakeMatrix, stores: true },
  { name: "mattermost", start: startFakeMattermost, stores: true },
  { name: "rocketchat", start: startFakeRocketchat, stores: true },
  { name: "zulip", start: startFakeZulip, stores: true },
] as const;

/** The short run tries the kind that most measurements use. */
const tagged = (client: (typeof CLIENTS)[number]) => ({ tags: client === CLIENTS[0] ? [] : "long" });

describe.each(SERVERS)("a $name server", ({ name, start, stores }) => {
  const server = eachWith<Fake>(start);
  const target = () => ({ name, url: server().url });

  for (const client of CLIENTS)
    test(
      `members get its messages, bursts in order, and are removed: ${client.kind}, ${client.probes} probes`,
      tagged(client),
      async () => {
        // The first reads back more than a page, with the messages that say who joined.
        const burst = client === CLIENTS[0] ? 160 : 16;
        const sent = burst + 4;
        const result = await measure({ ...client, burst: [burst], timeoutMs: 60_000 }, target());
        expect(result.target).toMatchObject({ name, isThrowaway: false });
        expect(result.registration?.users).toBe(40);
        expect(result.counts).toMatchObject({
          sent,
          acknowledged: sent,
          stored: stores ? sent : null,
          received: sent * 40,
          lost: 0,
          duplicates: 0,
          outOfOrder: 0,
          foreign: 0,
          dropped: 0,
        });
        expect(result.errors).toEqual([]);
        const { remaining } = server() as { remaining?: () => number };
        expect(remaining?.() ?? 0).toBe(0);
      },
    );

  test("a rejected message is an error in the server's words, and not counted as lost", async () => {
    server().rejectWith = "the channel is closed";
    const { counts, errors } = await measure({ messages: 2 }, target());
    expect(counts).toMatchObject({ sent: 3, acknowledged: 0, expected: 0, received: 0, lost: 0 });
    const code = expect.stringMatching(/^\w+: the channel is closed$/) as string;
    expect(errors).toEqual([{ phase: "send", code, count: 3 }]);
  });

  test("no address: says what to do", async () => {
    await expect(measure({}, { name })).rejects.toThrow(
      `--target ${name} measures a running server: set its --url.`,
    );
  });

  test("a missing variable: says what to set", async () => {
    const variable = Object.keys(server().env).at(-1)!;
    vi.stubEnv(variable, "");
    await expect(measure({}, target())).rejects.toThrow(`Set the environment variable ${variable}: `);
  });

  test("another server, or none: says so", async () => {
    const http = createServer((_, response) => response.writeHead(404).end("<html>"));
    const url = await listen(http);
    const notJson = /HTTP_404: the response is not JSON\. Is this a [\w.]+ server\?/;
    await expect(measure({}, { name, url })).rejects.toThrow(notJson);
    http.closeAllConnections();
    http.close();
    await expect(measure({}, { name, url })).rejects.toThrow(/ECONNREFUSED: .*\. Is there a [\w.]+ server\?/);
  });
});

describe("centrifugo", () => {
  const server = eachWith(startFakeCentrifugo);
  const target = () => ({ name: "centrifugo", url: server().url });

  test("a wrong API key", async () => {
    vi.stubEnv("CENTRIFUGO_API_KEY", "guess");
    await expect(measure({}, target())).rejects.toThrow(
      "centrifugo: info: HTTP_401: Is CENTRIFUGO_API_KEY the server's http_api.key?",
    );
  });

  for (const client of CLIENTS)
    test(`a wrong token secret: ${client.kind}, ${client.probes} probes`, tagged(client), async () => {
      vi.stubEnv("CENTRIFUGO_TOKEN_SECRET", "guess");
      await expect(measure(client, target())).rejects.toThrow("SERVER_CLOSE_3500: invalid token");
    });

  test("users of --tokens", async () => {
    const memberTokens = await membersOf(centrifugo, server().url);
    const claims = Buffer.from(memberTokens[0]!.split(".")[1]!, "base64url").toString();
    const [channel] = (JSON.parse(claims) as { channels: string[] }).channels;
    vi.stubEnv("CENTRIFUGO_TOKEN_SECRET", "");
    const existing = { senderToken: "none", memberTokens, channel };
    expect(await receivedByExisting(target(), existing)).toEqual({ ...ALL_RECEIVED, stored: null });
  });
});

describe("mattermost", () => {
  const server = eachWith(startFakeMattermost);
  const target = () => ({ name: "mattermost", url: server().url });

  test.each([
    [
      "guess",
      "users/me: HTTP_401: Invalid or expired session, please login again. Is MATTERMOST_ADMIN_TOKEN valid?",
    ],
    ["user", "MATTERMOST_ADMIN_TOKEN must be the token of a system administrator."],
  ])("the token %s", async (token, message) => {
    vi.stubEnv("MATTERMOST_ADMIN_TOKEN", token);
    await expect(measure({}, target())).rejects.toThrow(message);
  });

  test("users of --tokens, who are left as they are", async () => {
    const memberTokens = await membersOf(mattermost, server().url);
    const remaining = server().remaining();
    const existing = { senderToken: "admin", memberTokens, channel: server().channel() };
    expect(await receivedByExisting(target(), existing)).toEqual({ ...ALL_RECEIVED, stored: 4 });
    expect(server().remaining()).toBe(remaining);
  });

  test("more members than the team can have", async () => {
    await expect(measure({ users: 51 }, target())).rejects.toThrow(
      "HTTP_400: This team has reached the maximum number of allowed accounts.",
    );
    expect(server().remaining()).toBe(0);
  });

  test("without a channel, its team is archived", async () => {
    server().hasChannels = false;
    await expect(measure({}, target())).rejects.toThrow("api.channel.create_channel");
    expect(server().remaining()).toBe(0);
  });

  test("a rate limit", async () => {
    server().isLimited = true;
    await expect(measure({}, target())).rejects.toThrow(
      "HTTP_429: Turn off RateLimitSettings.Enable for the test.",
    );
  });

  test("a message that is too long", async () => {
    const { errors } = await measure({ messages: 1, payloadBytes: 16_384 }, target());
    const code = "HTTP_400: Post Message property is longer than the maximum permitted length.";
    expect(errors).toEqual([{ phase: "send", code, count: 2 }]);
  });
});

describe("rocketchat", () => {
  const server = eachWith(startFakeRocketchat);
  const target = () => ({ name: "rocketchat", url: server().url });

  test.each([
    [
      "guess",
      "owner",
      "HTTP_401: You must be logged in to do this. Do ROCKETCHAT_TOKEN and ROCKETCHAT_USER_ID belong",
    ],
    ["user", "someone", "ROCKETCHAT_TOKEN must be the token of an administrator."],
  ])("the token %s of %s", async (token, user, message) => {
    vi.stubEnv("ROCKETCHAT_TOKEN", token);
    vi.stubEnv("ROCKETCHAT_USER_ID", user);
    await expect(measure({}, target())).rejects.toThrow(message);
  });

  test("users of --tokens, who are left as they are", async () => {
    const memberTokens = (await membersOf(rocketchat, server().url)).map(
      (credential) => (JSON.parse(credential) as { token: string }).token,
    );
    const remaining = server().remaining();
    const existing = { senderToken: "admin", memberTokens, channel: server().room() };
    expect(await receivedByExisting(target(), existing)).toEqual({ ...ALL_RECEIVED, stored: 4 });
    expect(server().remaining()).toBe(remaining);
    const guess = { ...existing, senderToken: "guess" };
    await expect(measure({}, { ...target(), existing: guess })).rejects.toThrow(
      "HTTP_401: Unauthorized. Is the first line of --tokens valid?",
    );
  });

  test("the rate limit of logins", async () => {
    server().isLimited = true;
    await expect(measure({}, target())).rejects.toThrow(
      /HTTP_429: Error, too many requests\..* Turn off API_Enable_Rate_Limiter for the test\./,
    );
    expect(server().remaining()).toBe(0);
  });
});

test.each(["limits", "versus"])("%s measures running servers in turns", { tags: "long" }, async (command) => {
  const servers = await Promise.all([startFakeMatrix(), startFakeZulip()]);
  const bench = await Bench.open();
  Object.assign(bench.env, ...servers.map(({ env }) => env));
  const targets = `matrix=${servers[0].url},zulip=${servers[1].url}`;
  const small = ["--users", "10", "--messages", "2", "--idle", "10ms", "--interval", "10ms", "--burst", ""];
  const run = await bench.run(command, "--targets", targets, ...small, "--passes", "2");
  expect(run).toMatchObject({ code: 0, stderr: "" });
  for (const server of ["matrix", "zulip"])
    expect(metricValues(run.result as Result, ["lost"], { server, pass: 2 })).toEqual({ lost: 0 });
  await Promise.all([...servers, bench].map((each) => each.close()));
});
