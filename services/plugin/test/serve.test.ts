import { expect, test, vi } from "vitest";
import { createServe } from "../src/serve.ts";

type Options = Parameters<typeof createServe>[0];

function serveWith(request: Options["outbound"]["request"]) {
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
