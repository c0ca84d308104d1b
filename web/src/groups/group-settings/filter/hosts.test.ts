import { expect, test } from "vitest";
import { hostsOf } from "./filter-part.tsx";

test("hosts can be written as addresses, in any case and script", () => {
  expect(hostsOf("Example.com\nhttps://example.com/path\nmüller.example\nlocalhost\nno host")).toEqual([
    "example.com",
    "xn--mller-kva.example",
    null,
  ]);
});
