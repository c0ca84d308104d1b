import { expect, test, vi } from "vitest";
import { createServe } from "../src/serve.ts";

type Options = Parameters<typeof createServe>[0];

function serveWith(request: Options["outbound"]["request"], node = {} as Options["node"]) {
  const server = {
    file: "server.js",
    actions: {},
    events: [],
    hosts: ["https://api.example.org"],
    scopes: [],
    settings: {},
  };
  const manifest = {
    fanfare: 1,
    name: "hostile",
    version: "1",
    title: "x",
    description: "x",
    server,
    commands: [],
  } as const;
  return createServe({
    manifest: manifest as unknown as Options["manifest"],
    settings: {},
    node,
    outbound: { request },
    values: {} as Options["values"],
  });
}

test("headers of the connection can't be set, so that only the declared hosts can be reached", async () => {
  const request = vi.fn<Options["outbound"]["request"]>(async ({ url }) => ({
    url,
    status: 200,
    contentType: "text/plain",
    body: Buffer.from("x"),
    isTruncated: false,
  }));
  const serve = serveWith(request);
  const url = "https://api.example.org/";
  for (const header of ["host", "Host", "transfer-encoding", "Content-Length", "connection"])
    await expect(serve("fetch", { url, headers: { [header]: "other.example.org" } }, null)).rejects.toThrow(
      /can't be set/,
    );
  await expect(serve("fetch", { url: "https://other.example.org/" }, null)).rejects.toThrow(/does not allow/);
  expect(request).not.toHaveBeenCalled();
  expect(await serve("fetch", { url, headers: { accept: "text/plain" } }, null)).toMatchObject({ text: "x" });
});

test("data is published to those who see the channel, while the user does, and has a limited size", async () => {
  const publish = vi.fn<Options["node"]["publish"]>();
  const node = {
    publish,
    access: {
      get: async (userId: string) => ({ permissions: userId === "viewer" ? 1 : 0, rooms: ["room"] }),
    },
  } as unknown as Options["node"];
  const serve = serveWith(vi.fn<Options["outbound"]["request"]>(), node);
  const handling = (userId: string | null) => ({
    calls: 0,
    place: userId === null ? null : { channelId: "channel", userId },
    call: async () => null,
  });
  const published = { key: "poll", data: { votes: [1, 2] } };
  await serve("publish", published, handling("viewer"));
  const event = { plugin: "hostile", channelId: "channel", ...published };
  expect(publish.mock.calls).toEqual([[["room"], "plugin.published", event]]);
  await expect(serve("publish", published, handling("kicked"))).rejects.toThrow(/CHANNEL_NOT_FOUND|channel/i);
  await expect(serve("publish", published, handling(null))).rejects.toThrow(/rule channel/);
  await expect(serve("publish", published, null)).rejects.toThrow(/until they have answered/);
  const long = { key: "poll", data: "x".repeat(5000) };
  await expect(serve("publish", long, handling("viewer"))).rejects.toThrow(/at most 4096/);
  expect(publish).toHaveBeenCalledOnce();
});
