import { existsSync, ReadStream } from "node:fs";
import { join, resolve, sep } from "node:path";
import helmet from "@fastify/helmet";
import files from "@fastify/static";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

const NOT_BUILT = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Fanfare</title>
<h1>The page is not built yet</h1>
<p>The server runs: <a href="/api/meta">/api/meta</a> answers. Build the page with <code>pnpm build</code>, then reload.</p>
</html>
`;

/** What is said of a file, and not of an error in its place. */
const FILE_HEADERS = ["content-type", "content-length", "content-encoding", "etag", "last-modified"];

const ONE_YEAR_S = 365 * 24 * 60 * 60;

/**
 * Serves the built page, and its index for every path that a browser asks a page from, because the page does its own
 * routing.
 * @param refuse answers what is neither a file nor a page
 */
export async function serveWebPage(
  app: FastifyInstance,
  webDir: string,
  refuse: (request: FastifyRequest, reply: FastifyReply) => FastifyReply,
): Promise<void> {
  const root = resolve(webDir);
  const hashed = join(root, "assets") + sep;
  await app.register(helmet, {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        "default-src": ["'none'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "img-src": ["'self'", "data:", "blob:"],
        "media-src": ["'self'", "blob:"],
        "font-src": ["'self'"],
        "manifest-src": ["'self'"],
        "connect-src": ["'self'", (request) => ownSockets(request.headers.host)],
        "base-uri": ["'none'"],
        "form-action": ["'none'"],
        "frame-ancestors": ["'none'"],
      },
    },
    // security-headers.ts, for every answer.
    strictTransportSecurity: false,
    crossOriginOpenerPolicy: { policy: "same-origin" },
    crossOriginResourcePolicy: { policy: "same-origin" },
    referrerPolicy: { policy: "no-referrer" },
    xFrameOptions: { action: "deny" },
  });
  // A file that cannot be opened is answered as an error, which is too late once the headers are sent.
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
  await app.register(files, {
    root,
    cacheControl: false,
    // The build puts compressed copies beside the files.
    preCompressed: true,
    // What it puts into .vite is for the budget of the bundle.
    dotfiles: "ignore",
    setHeaders(reply, path) {
      // Vite puts a hash of the content into these names.
      const cached = path.startsWith(hashed) ? `public, max-age=${ONE_YEAR_S}, immutable` : "no-cache";
      void reply.header("cache-control", cached);
    },
  });
  app.setNotFoundHandler((request, reply) => {
    if (!wantsPage(request)) return refuse(request, reply);
    if (existsSync(join(root, "index.html"))) return reply.sendFile("index.html");
    return reply.code(503).type("text/html; charset=utf-8").send(NOT_BUILT);
  });
}

function wantsPage({ method, url, headers }: FastifyRequest): boolean {
  return method === "GET" && !url.startsWith("/api/") && (headers.accept ?? "").includes("text/html");
}

/** Older browsers do not count WebSockets to the same host as 'self'. */
function ownSockets(host: string | undefined): string {
  return host !== undefined && /^[\w.:[\]-]+$/.test(host) ? `ws://${host} wss://${host}` : "'self'";
}
