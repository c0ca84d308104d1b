import { expect, test } from "vitest";
import { SourceAddresses } from "./source-addresses.ts";

test("1,000 per address, and other addresses the next time", () => {
  const addresses = new SourceAddresses("127.0.0.1", "linux");
  const first = addresses.take(1001);
  expect([first[0], first[999], first[1000]]).toEqual(["127.0.0.2", "127.0.0.2", "127.0.0.3"]);
  expect(addresses.take(1)).toEqual(["127.0.0.4"]);
});

test("continues in the next block, and wraps around after the last address", () => {
  const addresses = new SourceAddresses("127.0.0.1", "linux");
  for (let address = 0; address < 250; address++) addresses.take(1);
  expect(addresses.take(1)).toEqual(["127.0.1.2"]);
  expect(addresses.take(749_000).at(-1)).toBe("127.0.3.251");
  expect(addresses.take(1)).toEqual(["127.0.0.2"]);
});

test("not for a remote server, nor if the system doesn't answer on 127.0.0.2", () => {
  expect(new SourceAddresses("192.0.2.1", "linux").take(1)).toEqual([undefined]);
  expect(new SourceAddresses("::1", "linux").take(1)).toEqual([undefined]);
  expect(new SourceAddresses("127.0.0.1", "darwin").take(1)).toEqual([undefined]);
});
