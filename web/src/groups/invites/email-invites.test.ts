import { expect, test } from "vitest";
import { addressesIn } from "./email-invites.tsx";

test("finds the addresses of a list, with any separators and with names", () => {
  const text = "ada@example.org, bob@example.org;eve@example.org\n zoe@example.org\tada@example.org,,";
  expect(addressesIn(text)).toEqual([
    "ada@example.org",
    "bob@example.org",
    "eve@example.org",
    "zoe@example.org",
  ]);
  expect(addressesIn("Ada Lovelace <ada@example.org>, <bob@example.org>")).toEqual([
    "ada@example.org",
    "bob@example.org",
  ]);
});

test("finds all addresses beside names, also names with commas", () => {
  expect(addressesIn("Ada <ada@example.org> Bob <bob@example.org>")).toEqual([
    "ada@example.org",
    "bob@example.org",
  ]);
  expect(addressesIn('zoe@example.org "Lovelace, Ada" <ada@example.org>')).toEqual([
    "zoe@example.org",
    "ada@example.org",
  ]);
});

test("keeps what is not an address, so that it can be named", () => {
  expect(addressesIn("ada@, bob")).toEqual(["ada@", "bob"]);
  expect(addressesIn(" \n ")).toEqual([]);
});
