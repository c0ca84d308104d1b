import type { IncomingMessage } from "node:http";
import { expect, test } from "vitest";
import { clientAddress, hasForeignHost } from "./identify.ts";

const request = (remoteAddress: string, forwarded?: string): IncomingMessage =>
  ({
    socket: { remoteAddress },
    headers: forwarded === undefined ? {} : { "x-forwarded-for": forwarded },
  }) as unknown as IncomingMessage;

test("uses the header only behind a proxy, and only its last address behind a single one", () => {
  expect(clientAddress(request("10.0.0.1", "1.1.1.1, 2.2.2.2"), 0)).toBe("10.0.0.1");
  expect(clientAddress(request("10.0.0.1", "1.1.1.1, 2.2.2.2"), 1)).toBe("2.2.2.2");
  expect(clientAddress(request("10.0.0.1"), 1)).toBe("10.0.0.1");
  expect(clientAddress(request("10.0.0.1", ""), 1)).toBe("10.0.0.1");
});

test("behind several proxies, the client is the address seen by the first of them", () => {
  // A client that claims 1.1.1.1, a CDN that saw 203.0.113.9, and nginx that saw the CDN.
  const forwarded = "1.1.1.1, 203.0.113.9, 198.51.100.7";
  expect(clientAddress(request("10.0.0.1", forwarded), 2)).toBe("203.0.113.9");
  const networks = ["10.0.0.0/8", "198.51.100.0/24", "2001:db8::/32"];
  expect(clientAddress(request("::ffff:10.0.0.1", forwarded), networks)).toBe("203.0.113.9");
  expect(clientAddress(request("2001:db8::7", forwarded), networks)).toBe("203.0.113.9");
  expect(clientAddress(request("10.0.0.1", "10.2.3.4"), networks)).toBe("10.2.3.4");
});

test("a client that bypasses the proxies can't claim an address", () => {
  expect(clientAddress(request("203.0.113.5", "1.1.1.1, 10.0.0.1"), ["10.0.0.0/8"])).toBe("203.0.113.5");
  expect(clientAddress(request("10.0.0.1", "1.1.1.1, nonsense"), ["10.0.0.1"])).toBe("nonsense");
});

test("both notations of an IPv4 address are equal", () => {
  expect(clientAddress(request("::ffff:192.0.2.7"), 0)).toBe("192.0.2.7");
});

test.each([
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:DB8:1:2::6", "2001:db8:1:2::/64"],
  ["2001:db8::1", "2001:db8:0:0::/64"],
  ["::1", "0:0:0:0::/64"],
])("an IPv6 address counts as its network: %s", (address, network) => {
  expect(clientAddress(request(address), 0)).toBe(network);
});

test("an invalid header can't produce a long key", () => {
  expect(clientAddress(request("10.0.0.1", "x".repeat(8000)), 1)).toHaveLength(64);
});

test.each([
  ["localhost:3000", false],
  ["127.0.0.1:3000", false],
  ["[::1]:3000", false],
  ["chat.localhost", false],
  ["chat.example.org", false],
  ["rebound.example.net:3000", true],
  ["localhost.example.net", true],
  ["127.0.0.1.example.net", true],
  ["", true],
])("Host %s is foreign: %s", (host, isForeign) => {
  const request = { headers: { host } } as IncomingMessage;
  expect(hasForeignHost(request, "https://chat.example.org")).toBe(isForeign);
});
