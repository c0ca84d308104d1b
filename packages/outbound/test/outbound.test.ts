import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { Outbound, type OutboundOptions, type OutboundRequest } from "../src/outbound.ts";

const closers: (() => Promise<void>)[] = [];
const closeAll = async (): Promise<void> => {
  for (const close of closers.splice(0)) await close();
};
afterEach(closeAll);

async function serve(listener: RequestListener, host = "127.0.0.1") {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  closers.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return { port, url: `http://${host}:${port}` };
}

function outbound(options: Partial<OutboundOptions> = {}) {
  const client = new Outbound({ userAgent: "test", ...options });
  closers.push(() => client.close());
  return client;
}

const get = (url: string, more: Partial<OutboundRequest> = {}): OutboundRequest => ({
  url,
  timeoutMs: 5000,
  maxBytes: 1000,
  ...more,
});
const allowed = { allow: ["127.0.0.1"] };

test("requests an allowed address on any port", async () => {
  const { url } = await serve((request, response) => {
    response
      .setHeader("content-type", "text/plain")
      .end(`${request.method} ${request.headers["user-agent"]}`);
  });
  const answer = await outbound(allowed).request(get(`${url}/a?b=c`));
  expect(answer).toMatchObject({
    status: 200,
    contentType: "text/plain",
    isTruncated: false,
    url: `${url}/a?b=c`,
  });
  expect(answer.body.toString()).toBe("GET test");
});

test("rejects localhost in all notations", async () => {
  let connections = 0;
  const { port } = await serve((_request, response) => {
    connections += 1;
    response.end("secret");
  });
  const plain = outbound({ ports: [80, 443, port] });
  const hosts = [
    "127.0.0.1",
    "localhost",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "0",
    "0x7f000001",
    "2130706433",
    "127.1",
  ];
  for (const host of hosts) {
    await expect(plain.request(get(`http://${host}:${port}/`))).rejects.toMatchObject({
      code: "FORBIDDEN_ADDRESS",
    });
  }
  expect(connections).toBe(0);
});

test("rejects a name if any of its addresses is private", async () => {
  const { port } = await serve((_request, response) => response.end("secret"));
  const ports = [port];
  const resolvesTo = (...addresses: string[]) =>
    outbound({ ports, resolve: () => Promise.resolve(addresses.map((address) => ({ address, family: 4 }))) });
  const url = `http://innocent.example:${port}/`;
  await expect(resolvesTo("127.0.0.1").request(get(url))).rejects.toMatchObject({
    code: "FORBIDDEN_ADDRESS",
  });
  await expect(resolvesTo("93.184.216.34", "169.254.169.254").request(get(url))).rejects.toMatchObject({
    code: "FORBIDDEN_ADDRESS",
  });
});

test("resolves a name once per connection, so DNS rebinding has no effect", async () => {
  const { port } = await serve((_request, response) => response.end("allowed"));
  let lookups = 0;
  const rebinding = outbound({
    ...allowed,
    resolve: () => {
      lookups += 1;
      return Promise.resolve([{ address: lookups === 1 ? "127.0.0.1" : "127.0.0.2", family: 4 }]);
    },
  });
  const url = `http://rebinding.example:${port}/`;
  expect((await rebinding.request(get(url))).body.toString()).toBe("allowed");
  expect(lookups).toBe(1);
  await expect(rebinding.request(get(url))).rejects.toMatchObject({ code: "FORBIDDEN_ADDRESS" });
});

test("checks redirects: private addresses, other protocols, passwords", async () => {
  const secret = await serve((_request, response) => response.end("secret"), "127.0.0.2");
  for (const [location, code] of [
    [secret.url, "FORBIDDEN_ADDRESS"],
    ["http://169.254.169.254/latest/meta-data/", "FORBIDDEN_ADDRESS"],
    ["file:///etc/passwd", "BAD_URL"],
    ["gopher://127.0.0.1/", "BAD_URL"],
    ["http://user:password@127.0.0.1/", "BAD_URL"],
  ]) {
    const { url } = await serve((_request, response) => response.writeHead(302, { location }).end());
    await expect(outbound(allowed).request(get(url, { maxRedirects: 3 }))).rejects.toMatchObject({
      code,
    });
  }
});

test("follows redirects up to the limit; by default, returns the redirect", async () => {
  const { url } = await serve((request, response) => {
    const step = Number(request.url!.slice(1));
    if (step === 3) response.end("there");
    else response.writeHead(302, { location: `/${step + 1}` }).end();
  });
  const client = outbound(allowed);
  expect((await client.request(get(`${url}/0`, { maxRedirects: 3 }))).url).toBe(`${url}/3`);
  await expect(client.request(get(`${url}/0`, { maxRedirects: 2 }))).rejects.toMatchObject({
    code: "TOO_MANY_REDIRECTS",
  });
  expect(await client.request(get(`${url}/0`))).toMatchObject({ status: 302 });
});

test("allows only ports 80 and 443 of public addresses", async () => {
  const resolve = () => Promise.resolve([{ address: "93.184.216.34", family: 4 }]);
  await expect(outbound({ resolve }).request(get("http://example.com:22/"))).rejects.toMatchObject({
    code: "BAD_URL",
  });
});

test.each([
  "ftp://example.com/",
  "javascript:alert(1)",
  "nonsense",
  "http://a:b@example.com/",
  `http://a/${"x".repeat(3000)}`,
])("rejects the URL %s", async (url) => {
  await expect(outbound().request(get(url))).rejects.toMatchObject({ code: "BAD_URL" });
});

test("truncates an endless response at maxBytes", async () => {
  const { url } = await serve((_request, response) => {
    const more = (): void => {
      while (response.write("x".repeat(64 * 1024)));
    };
    response.on("drain", more);
    more();
  });
  const answer = await outbound(allowed).request(get(url, { maxBytes: 100_000 }));
  expect(answer).toMatchObject({ isTruncated: true });
  expect(answer.body.length).toBe(100_000);
});

test("does not read unwanted types and compressed bodies", async () => {
  const { url } = await serve((request, response) => {
    if (request.url === "/gzip") response.setHeader("content-encoding", "gzip");
    response.setHeader("content-type", request.url === "/gzip" ? "text/html" : "video/mp4").end("body");
  });
  const wantsType = (type: string) => type.startsWith("text/html");
  for (const path of ["/gzip", "/video"]) {
    const answer = await outbound(allowed).request(get(`${url}${path}`, { wantsType }));
    expect(answer.body.length).toBe(0);
  }
});

test("the timeout covers the whole request, including slow bodies", async () => {
  const { url } = await serve((_request, response) => {
    response.write("a");
    const timer = setInterval(() => response.write("b"), 20);
    response.on("close", () => clearInterval(timer));
  });
  await expect(outbound(allowed).request(get(url, { timeoutMs: 300 }))).rejects.toMatchObject({
    code: "TIMEOUT",
  });
});

test("sends a POST unchanged and reports an unreachable server", async () => {
  const { url } = await serve((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () =>
      response.end(`${String(request.headers["x-sign"])} ${Buffer.concat(chunks).toString()}`),
    );
  });
  const post = { method: "POST", body: "hello", headers: { "x-sign": "s" } } as const;
  expect((await outbound(allowed).request(get(url, post))).body.toString()).toBe("s hello");
  await closeAll();
  await expect(outbound(allowed).request(get(url, post))).rejects.toMatchObject({ code: "UNREACHABLE" });
});
