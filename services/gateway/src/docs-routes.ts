import type * as docs from "@fanfare/contract/docs";
import type { FastifyInstance } from "fastify";

const MAX_AGE_S = 300;

/** What the contract says, for people and for programs. Made when somebody asks for it, and kept. */
export function serveDocs(app: FastifyInstance): void {
  const made = new Map<string, Promise<string>>();
  const serve = (path: string, type: string, make: (docs: Docs) => string): void => {
    app.get(path, async (_request, reply) => {
      const content = made.get(path) ?? import("@fanfare/contract/docs").then(make);
      made.set(path, content);
      return reply
        .header("cache-control", `public, max-age=${MAX_AGE_S}`)
        .type(type)
        .send(await content);
    });
  };
  serve("/api/openapi.json", "application/json; charset=utf-8", ({ openApiDocument }) =>
    JSON.stringify(openApiDocument()),
  );
  serve("/api/asyncapi.json", "application/json; charset=utf-8", ({ asyncApiDocument }) =>
    JSON.stringify(asyncApiDocument()),
  );
  serve("/api/docs", "text/html; charset=utf-8", ({ apiPage }) => apiPage());
  serve("/api/docs.css", "text/css; charset=utf-8", ({ API_PAGE_STYLE }) => API_PAGE_STYLE);
}

type Docs = typeof docs;
