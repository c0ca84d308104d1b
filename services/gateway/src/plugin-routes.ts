import { resolve } from "node:path";
import type { PagePlugin } from "@fanfare/contract";
import { defineService, type NodeContext } from "@fanfare/kernel";
import { type Plugin, pluginAction } from "@fanfare/plugins";
import type { FastifyInstance, FastifyReply } from "fastify";
import { ONE_YEAR_S } from "./constants.ts";

/** The page in which the programs of plug-ins run, and the program that starts them. The web client has both. */
const FRAME = "plugin-frame.html";
const FRAME_PROGRAM = "plugin-frame.js";

/**
 * The frame has an origin of its own, no network and no storage, even if a browser opens it as a page. It can only talk to the
 * web client, which frames it.
 */
const FRAME_POLICY = [
  // Forms are handled by the program: `form-action` forbids sending them.
  "sandbox allow-scripts allow-forms",
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src data: blob:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join("; ");

/**
 * Every gateway lists its own plug-ins, whose programs it serves and whose actions it knows: during an update, others can have other
 * ones. A client asks again when it has another gateway.
 */
export function pluginActions(node: NodeContext, plugins: readonly Plugin[]) {
  const pages = plugins.flatMap((plugin) => presentPage(plugin) ?? []);
  return defineService(node, { name: "gateway", actions: { "plugin.list": () => ({ plugins: pages }) } })
    .actions;
}

/** What clients need of a plug-in; null if it has nothing for them. */
function presentPage({ manifest, page }: Plugin): PagePlugin | null {
  const { name, title, version, commands } = manifest;
  if (page === null && commands.length === 0) return null;
  return {
    name,
    title,
    version,
    page:
      page === null
        ? null
        : {
            path: page.path,
            integrity: page.integrity,
            actions: manifest.page!.actions,
            messageCards: manifest.page!.messageCards,
            composerActions: manifest.page!.composerActions,
            panels: manifest.page!.panels,
          },
    commands: commands.map(({ action, usage = "", ...command }) => ({
      ...command,
      usage,
      action: pluginAction(name, action),
    })),
  };
}

/** Serves the programs of page plug-ins, and the frame that they run in. */
export function servePlugins(app: FastifyInstance, plugins: readonly Plugin[], webDir: string): void {
  const root = resolve(webDir);
  // The frame's origin is not the server's.
  const forFrames = (reply: FastifyReply): FastifyReply =>
    reply.headers({
      "access-control-allow-origin": "*",
      "cross-origin-resource-policy": "cross-origin",
      "x-content-type-options": "nosniff",
    });
  for (const { page } of plugins) {
    if (page === null) continue;
    app.get(page.path, { helmet: false }, (_request, reply) =>
      forFrames(reply)
        .header("cache-control", `public, max-age=${ONE_YEAR_S}, immutable`)
        .type("text/javascript; charset=utf-8")
        .send(page.content),
    );
  }
  app.get(`/${FRAME}`, { helmet: false }, (_request, reply) =>
    forFrames(reply).header("content-security-policy", FRAME_POLICY).sendFile(FRAME, root),
  );
  app.get(`/${FRAME_PROGRAM}`, { helmet: false }, (_request, reply) =>
    forFrames(reply).sendFile(FRAME_PROGRAM, root),
  );
}
