import { expect, test } from "vitest";
import { createAddressRules } from "./guarded-connect.ts";

const none = createAddressRules([]);

test.each(["8.8.8.8", "1.1.1.1", "93.184.216.34", "2606:4700:4700::1111", "::ffff:8.8.8.8"])(
  "%s is public",
  (address) => expect(none.allows(address)).toBe(true),
);

test.each([
  ["loopback", "127.0.0.1"],
  ["all of loopback", "127.255.255.254"],
  ["this host", "0.0.0.0"],
  ["private", "10.0.0.1"],
  ["private", "172.16.0.1"],
  ["private", "172.31.255.255"],
  ["private", "192.168.1.1"],
  ["link-local", "169.254.0.1"],
  ["cloud metadata", "169.254.169.254"],
  ["carrier-grade NAT", "100.64.0.1"],
  ["carrier-grade NAT, Alibaba metadata", "100.100.100.200"],
  ["benchmarking", "198.18.0.1"],
  ["documentation", "192.0.2.1"],
  ["protocol assignments, Oracle metadata", "192.0.0.192"],
  ["multicast", "224.0.0.1"],
  ["reserved", "240.0.0.1"],
  ["broadcast", "255.255.255.255"],
  ["loopback", "::1"],
  ["unspecified", "::"],
  ["unique local", "fd00::1"],
  ["cloud metadata", "fd00:ec2::254"],
  ["link-local", "fe80::1"],
  ["link-local with a zone", "fe80::1%eth0"],
  ["multicast", "ff02::1"],
  ["IPv4-mapped", "::ffff:127.0.0.1"],
  ["IPv4-mapped in hexadecimal", "::ffff:a9fe:a9fe"],
  ["IPv4-compatible (deprecated)", "::127.0.0.1"],
  ["NAT64", "64:ff9b::10.0.0.1"],
  ["local NAT64", "64:ff9b:1::10.0.0.1"],
  ["6to4 tunnel", "2002:7f00:1::"],
  ["Teredo tunnel", "2001:0:7f00:1::"],
  ["documentation", "2001:db8::1"],
  ["not an address", "localhost"],
  ["empty", ""],
])("%s is not public: %s", (_kind, address) => expect(none.allows(address)).toBe(false));

test("allows only the listed private addresses", () => {
  const rules = createAddressRules(["10.1.0.0/16", "127.0.0.1", "fd00::/8"]);
  for (const address of ["10.1.2.3", "127.0.0.1", "::ffff:10.1.2.3", "fd12::1"])
    expect(rules.allows(address)).toBe(true);
  for (const address of ["10.2.0.1", "127.0.0.2", "fe80::1"]) expect(rules.allows(address)).toBe(false);
});

test("an invalid entry is named in the error", () => {
  expect(() => createAddressRules(["intranet"])).toThrow('"intranet" is neither');
  expect(() => createAddressRules(["10.0.0.0/99"])).toThrow('"10.0.0.0/99" is neither');
});
