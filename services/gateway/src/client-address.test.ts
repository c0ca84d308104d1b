import type { IncomingMessage } from "node:http";
import { expect, test } from "vitest";
import { clientAddress } from "./client-address.ts";

const request = (remoteAddress: string, forwarded?: string): IncomingMessage =>
  ({
    socket: { remoteAddress },
    headers: forwarded === undefined ? {} : { "x-forwarded-for": forwarded },
  }) as unknown as IncomingMessage;

test("the header counts only behind a proxy, and only its last address", () => {
  expect(clientAddress(request("10.0.0.1", "1.1.1.1, 2.2.2.2"), false)).toBe("10.0.0.1");
  expect(clientAddress(request("10.0.0.1", "1.1.1.1, 2.2.2.2"), true)).toBe("2.2.2.2");
  expect(clientAddress(request("10.0.0.1"), true)).toBe("10.0.0.1");
  expect(clientAddress(request("10.0.0.1", ""), true)).toBe("10.0.0.1");
});

test("an IPv4 address is the same in both notations", () => {
  expect(clientAddress(request("::ffff:192.0.2.7"), false)).toBe("192.0.2.7");
});

test.each([
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:DB8:1:2::6", "2001:db8:1:2::/64"],
  ["2001:db8::1", "2001:db8:0:0::/64"],
  ["::1", "0:0:0:0::/64"],
])("an IPv6 address counts as its network: %s", (address, network) => {
  expect(clientAddress(request(address), false)).toBe(network);
});

test("a nonsense header cannot make a long key", () => {
  expect(clientAddress(request("10.0.0.1", "x".repeat(8000)), true)).toHaveLength(64);
});
