import { expect, test } from "vitest";
import { createAddressRules } from "./addresses.ts";

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
  ["the metadata of clouds", "169.254.169.254"],
  ["shared by carriers", "100.64.0.1"],
  ["shared, where Alibaba has its metadata", "100.100.100.200"],
  ["benchmarks", "198.18.0.1"],
  ["documentation", "192.0.2.1"],
  ["protocol assignments, where Oracle has its metadata", "192.0.0.192"],
  ["multicast", "224.0.0.1"],
  ["reserved", "240.0.0.1"],
  ["broadcast", "255.255.255.255"],
  ["loopback", "::1"],
  ["unspecified", "::"],
  ["unique local", "fd00::1"],
  ["the metadata of clouds", "fd00:ec2::254"],
  ["link-local", "fe80::1"],
  ["link-local with a zone", "fe80::1%eth0"],
  ["multicast", "ff02::1"],
  ["IPv4 in IPv6", "::ffff:127.0.0.1"],
  ["IPv4 in IPv6, in hexadecimal", "::ffff:a9fe:a9fe"],
  ["IPv4 in IPv6, as it was once", "::127.0.0.1"],
  ["translated (NAT64)", "64:ff9b::10.0.0.1"],
  ["translated locally (NAT64)", "64:ff9b:1::10.0.0.1"],
  ["tunnelled (6to4)", "2002:7f00:1::"],
  ["tunnelled (Teredo)", "2001:0:7f00:1::"],
  ["documentation", "2001:db8::1"],
  ["not an address", "localhost"],
  ["nothing", ""],
])("%s is not public: %s", (_what, address) => expect(none.allows(address)).toBe(false));

test("what is allowed by name is allowed, and nothing beside it", () => {
  const rules = createAddressRules(["10.1.0.0/16", "127.0.0.1", "fd00::/8"]);
  for (const address of ["10.1.2.3", "127.0.0.1", "::ffff:10.1.2.3", "fd12::1"])
    expect(rules.allows(address)).toBe(true);
  for (const address of ["10.2.0.1", "127.0.0.2", "fe80::1"]) expect(rules.allows(address)).toBe(false);
});

test("an entry that is no network is refused by name", () => {
  expect(() => createAddressRules(["intranet"])).toThrow('"intranet" is neither');
  expect(() => createAddressRules(["10.0.0.0/99"])).toThrow('"10.0.0.0/99" is neither');
});
