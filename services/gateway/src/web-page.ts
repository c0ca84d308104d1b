import { existsSync, ReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { join, resolve, sep } from "node:path";
import type { Branding } from "@fanfare/contract";
import type * as docs from "@fanfare/contract/docs";
import type { NodeContext } from "@fanfare/kernel";
import helmet from "@fastify/helmet";
import files, { type FastifyStaticOptions } from "@fastify/static";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { ONE_YEAR_S } from "./constants.ts";

const notBuilt = (what: string): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Fanfare</title>
<h1>The ${what} is not built yet</h1>
<p>The server runs: <a href="/api/meta">/api/meta</a> answers. Build the ${what} with <code>pnpm build</code>, then reload.</p>
</html>
`;

/** Headers that describe a file, removed when an error replaces it. */
const FILE_HEADERS = ["content-type", "content-length", "content-encoding", "etag", "last-modified"];

const MANIFEST = "manifest.webmanifest";

/** The page in which the web client draws diagrams: only the client can frame it, and what draws them writes styles into it. */
const isDiagram = (url = ""): boolean => /^\/diagram\.html(?:\?|$)/.test(url);
const isDocs = (url = ""): boolean => /^\/docs(?:[/?]|$)/.test(url);

/**
 * Serves the web client and, under /docs, the documentation. Paths that a browser navigates to get the web client's index,
 * because routing happens in the client.
 * @param refuse answers requests for neither a file nor a page
 */
export async function serveWebPage(
  app: FastifyInstance,
  { config: { webDir, docsDir, livekit }, policy }: Pick<NodeContext, "config" | "policy">,
  refuse: (request: FastifyRequest, reply: FastifyReply) => FastifyReply,
): Promise<void> {
  const root = resolve(webDir);
  const docs = resolve(docsDir);
  const diagram = join(root, "diagram.html");
  const hashed = [root, docs].map((folder) => join(folder, "assets") + sep);
  await app.register(helmet, {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        "default-src": ["'none'"],
        "script-src": ["'self'"],
        "style-src": [({ url }) => (isDiagram(url) ? "'unsafe-inline'" : "'self'")],
        // Highlighted code in the documentation has a style attribute per word.
        "style-src-attr": [({ url }) => (isDocs(url) || isDiagram(url) ? "'unsafe-inline'" : "'none'")],
        "img-src": ["'self'", "data:", "blob:"],
        "media-src": ["'self'", "blob:"],
        "font-src": ["'self'"],
        "manifest-src": ["'self'"],
        "connect-src": ["'self'", (request) => ownSockets(request.headers.host), ...livekitOrigins(livekit)],
        "base-uri": ["'none'"],
        "form-action": ["'none'"],
        "frame-src": ["'self'"],
        "frame-ancestors": [({ url }) => (isDiagram(url) ? "'self'" : "'none'")],
      },
    },
    // Set for every response by commonHeaders.
    strictTransportSecurity: false,
    crossOriginOpenerPolicy: { policy: "same-origin" },
    crossOriginResourcePolicy: { policy: "same-origin" },
    referrerPolicy: { policy: "no-referrer" },
    xFrameOptions: { action: "deny" },
  });
  // Opens the file early: once the headers are sent, a failure can no longer become an error response.
  app.addHook("onSend", (_request, reply, payload, done) => {
    if (!(payload instanceof ReadStream) || !payload.pending) return done(null, payload);
    const onOpen = (): void => {
      payload.off("error", onError);
      done(null, payload);
    };
    const onError = (error: Error): void => {
      payload.off("open", onOpen);
      for (const name of FILE_HEADERS) reply.removeHeader(name);
      done(error);
    };
    payload.once("open", onOpen).once("error", onError);
  });
  const options = {
    cacheControl: false,
    // The build stores compressed copies next to the files.
    preCompressed: true,
    // The .vite folder is only used by the bundle size check.
    dotfiles: "ignore",
    setHeaders(reply, path) {
      // Vite puts a content hash into these names.
      const cached = hashed.some((folder) => path.startsWith(folder))
        ? `public, max-age=${ONE_YEAR_S}, immutable`
        : "no-cache";
      void reply.header("cache-control", cached);
      if (path === diagram) void reply.header("x-frame-options", "SAMEORIGIN");
    },
  } satisfies FastifyStaticOptions;
  const manifestPath = join(root, MANIFEST);
  app.get(`/${MANIFEST}`, async (request, reply) => {
    const text = await readFile(manifestPath, "utf8").catch(() => null);
    if (text === null) return refuse(request, reply);
    const manifest = branded(JSON.parse(text) as object, await policy.branding());
    return reply
      .type("application/manifest+json")
      .header("cache-control", "no-cache")
      .send(JSON.stringify(manifest));
  });
  await app.register(files, { ...options, root });
  await app.register(files, {
    ...options,
    root: docs,
    prefix: "/docs",
    redirect: true,
    decorateReply: false,
  });
  app.setNotFoundHandler((request, reply) => {
    if (!wantsPage(request)) return refuse(request, reply);
    const [folder, page, what] = isDocs(request.url)
      ? [docs, "404.html", "documentation"]
      : [root, "index.html", "page"];
    if (!existsSync(join(folder, page)))
      return reply.code(503).type("text/html; charset=utf-8").send(notBuilt(what));
    return reply.code(folder === docs ? 404 : 200).sendFile(page, folder);
  });
}

/** The manifest of the installed web app, with the name and looks of this instance. */
function branded(manifest: object, { name, accentColor, logoUrl }: Branding): object {
  return {
    ...manifest,
    name,
    short_name: name,
    ...(accentColor !== null && { theme_color: accentColor }),
    ...(logoUrl !== null && { icons: [{ src: logoUrl, type: "image/webp", sizes: "256x256" }] }),
  };
}

function wantsPage({ method, url, headers }: FastifyRequest): boolean {
  return method === "GET" && !url.startsWith("/api/") && (headers.accept ?? "").includes("text/html");
}

/** Older browsers don't include WebSockets to the same host in 'self'. */
function ownSockets(host: string | undefined): string {
  return host !== undefined && /^[\w.:[\]-]+$/.test(host) ? `ws://${host} wss://${host}` : "'self'";
}

/** Before it opens a socket, LiveKit's client asks over HTTP whether its token is accepted. */
function livekitOrigins(livekit: NodeContext["config"]["livekit"]): string[] {
  if (livekit === undefined) return [];
  const { origin } = new URL(livekit.url);
  return [origin, origin.replace(/^ws/, "http")];
}

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
