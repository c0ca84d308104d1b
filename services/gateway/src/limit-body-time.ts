import type { FastifyInstance } from "fastify";
import { HTTP_REQUEST_TIMEOUT_MS } from "./bounds.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Its bodies may take longer than others. */
    slow?: boolean;
  }
}

/** Closes connections whose request does not come to its end in time. Node itself has one limit for all requests. */
export function limitBodyTime(app: FastifyInstance): void {
  app.addHook("onRequest", async ({ raw, routeOptions }) => {
    const { "content-length": length, "transfer-encoding": encoding } = raw.headers;
    if (routeOptions.config.slow === true || (length === undefined && encoding === undefined)) return;
    const timer = setTimeout(() => {
      if (!raw.complete) raw.destroy();
    }, HTTP_REQUEST_TIMEOUT_MS);
    raw.once("close", () => clearTimeout(timer));
  });
}
