import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { type FetchMeta, findServer, originsOf } from "./address.ts";

test.each([
  ["chat.example.com", ["https://chat.example.com"]],
  ["  Chat.Example.com/groups/1?a=b#c ", ["https://chat.example.com"]],
  ["chat.example.com:8443", ["https://chat.example.com:8443"]],
  ["https://chat.example.com:443/login", ["https://chat.example.com"]],
  ["http://chat.example.com", ["http://chat.example.com"]],
  ["localhost:3000", ["https://localhost:3000", "http://localhost:3000"]],
  ["192.168.1.20", ["https://192.168.1.20", "http://192.168.1.20"]],
  ["10.example.com", ["https://10.example.com"]],
  ["127.0.0.1.example.com", ["https://127.0.0.1.example.com"]],
  ["172.32.0.1", ["https://172.32.0.1"]],
  ["10.example.com", ["https://10.example.com"]],
  ["127.evil.example", ["https://127.evil.example"]],
  ["192.168.example.com", ["https://192.168.example.com"]],
  ["172.16.example.com", ["https://172.16.example.com"]],
  ["chat.local", ["https://chat.local", "http://chat.local"]],
  ["[::1]:3000", ["https://[::1]:3000", "http://[::1]:3000"]],
  ["https://localhost", ["https://localhost"]],
  ["bücher.example", ["https://xn--bcher-kva.example"]],
  ["", []],
  ["chat example", []],
  ["*.example.com", []],
  ["ada@chat.example.com", []],
  ["https://ada:secret@chat.example.com", []],
  ["ftp://chat.example.com", []],
  ["file:///etc/passwd", []],
  ["javascript://alert(1)", []],
])("the address %j means %j", (text, origins) => {
  expect(originsOf(text)).toEqual(origins);
});

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await new Promise((closed) => server.close(closed));
});

const fetchMeta: FetchMeta = async (origin) => {
  try {
    const response = await fetch(`${origin}/api/meta`);
    return response.ok
      ? { origin: new URL(response.url).origin, body: await response.text() }
      : ("notFanfare" as const);
  } catch {
    return "unreachable";
  }
};

/** The host and port of a server that answers with the text at `/api/meta`. */
async function serve(body: string | null): Promise<string> {
  const server = createServer((request, response) => {
    response.statusCode = body !== null && request.url === "/api/meta" ? 200 : 404;
    response.end(body ?? "");
  });
  servers.push(server);
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const meta = (more: object = {}) => JSON.stringify({ name: "fanfare", version: "1.0.0", ...more });

test("finds a server without encryption on the private network", async () => {
  const host = await serve(meta({ branding: { name: "Team chat" } }));
  expect(await findServer(host, fetchMeta)).toEqual({
    outcome: "found",
    server: { origin: `http://${host}`, name: "Team chat" },
    isEncrypted: false,
  });
});

test.each([null, "", "<html>", "null", "[]", JSON.stringify({ name: "other", version: "1" })])(
  "%j is no Fanfare server",
  async (body) => {
    const host = await serve(body);
    expect(await findServer(host, fetchMeta)).toEqual({ outcome: "notFanfare", host });
  },
);

test("nothing answers", async () => {
  const host = await serve(meta());
  await new Promise((closed) => servers.pop()!.close(closed));
  expect(await findServer(host, fetchMeta)).toEqual({ outcome: "unreachable", host });
});

test("an invalid address is not contacted", async () => {
  const refuse: FetchMeta = () => Promise.reject(new Error("asked"));
  expect(await findServer("*.example.com", refuse)).toEqual({ outcome: "notAddress" });
});
