import type { Environment } from "vitest/runtime";
import { closeSharedBrowsers } from "./browser.ts";

/**
 * Node, with a browser that lives as long as the worker: vitest tears an environment down when its worker ends.
 */
const environment: Environment = {
  name: "node-with-browser",
  viteEnvironment: "ssr",
  setup: () => ({ teardown: closeSharedBrowsers }),
};

export default environment;
