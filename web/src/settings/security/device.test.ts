import { expect, test } from "vitest";
import { parseUserAgent } from "./device.ts";

const AGENTS = {
  edge: "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0",
  phone:
    "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36",
  iPhone:
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1",
  firefox: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
};

test("finds the browser and system in a user agent", () => {
  expect(parseUserAgent(AGENTS.edge)).toEqual({ browser: "Edge", system: "Windows", isPhone: false });
  expect(parseUserAgent(AGENTS.phone)).toEqual({ browser: "Chrome", system: "Android", isPhone: true });
  expect(parseUserAgent(AGENTS.iPhone)).toEqual({ browser: "Safari", system: "iPhone", isPhone: true });
  expect(parseUserAgent(AGENTS.firefox)).toEqual({ browser: "Firefox", system: "Linux", isPhone: false });
});

test("returns null for unknown agents", () => {
  expect(parseUserAgent("node")).toEqual({ browser: null, system: null, isPhone: false });
  expect(parseUserAgent(null)).toEqual({ browser: null, system: null, isPhone: false });
});
