import * as docs from "@fanfare/contract/docs";
import fastify from "fastify";
import { expect, test } from "vitest";
import { serveDocs } from "./web-page.ts";

test("the documentation is served after a failure to load it, which isn't kept", async () => {
  const app = fastify();
  let loads = 0;
  serveDocs(
    app,
    () => undefined,
    async () => {
      loads += 1;
      if (loads === 1) throw new Error("too many open files");
      return docs;
    },
  );
  const get = () => app.inject({ url: "/api/docs.css" });
  expect((await get()).statusCode).toBe(500);
  expect((await get()).body).toBe(docs.API_PAGE_STYLE);
  expect((await get()).body).toBe(docs.API_PAGE_STYLE);
  expect(loads).toBe(2);
  await app.close();
});
