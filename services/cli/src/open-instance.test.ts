import { loadConfig } from "@fanfare/kernel";
import { expect, test } from "vitest";
import { withoutCluster } from "./open-instance.ts";

test("commands don't log the startup of services, unless debugging", () => {
  const production = { NODE_ENV: "production", TOKEN_SECRET: "k8Qz3vWm7Rt2Yb9Lx5Np4Hc6Jd1Fs0GaUe" };
  expect(withoutCluster(loadConfig(production), []).logLevel).toBe("warn");
  expect(withoutCluster(loadConfig({ ...production, LOG_LEVEL: "debug" }), []).logLevel).toBe("debug");
});
