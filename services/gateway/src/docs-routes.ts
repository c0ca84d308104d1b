import type { FastifyInstance, FastifyRequest } from "fastify";
import type * as docs from "@fanfare/contract/docs";

const MAX_AGE_S = 300;

/**
 * API documentation, for people and tools; generated on first use and cached.
 * @param charge called with the size of each response, in bytes
 * @param load can fail, for example when too many files are open
 */
export function serveDocs(
  app: FastifyInstance,
  charge: (request: FastifyRequest, bytes: number) => void,
  load: () => Promise<Docs> = () => import("@fanfare/contract/docs"),
): void {
  const made = new Map<string, string>();
  const serve = (path: string, type: string, make: (docs: Docs) => string): void => {
    app.get(path, async (request, reply) => {
      const content = made.get(path) ?? make(await load());
      made.set(path, content);
      charge(request, Buffer.byteLength(content));
      return reply.header("cache-control", `public, max-age=${MAX_AGE_S}`).type(type).send(content);
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
