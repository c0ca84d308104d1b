import { bareSocketIo, bareWs } from "./bare/bare-target.ts";
import { centrifugo } from "./centrifugo.ts";
import { DIALECTS } from "./dialect.ts";
import { importPlugin } from "./import-plugin.ts";
import { matrix } from "./matrix.ts";
import { mattermost } from "./mattermost.ts";
import type { Dialect } from "./plugin.ts";
import { rocketchat } from "./rocketchat.ts";
import { tailchat } from "./tailchat.ts";
import { zulip } from "./zulip.ts";

/** The values of --target besides fanfare, in the order of the help. */
export const PLUGINS = {
  "socket.io": bareSocketIo,
  ws: bareWs,
  tailchat,
  centrifugo,
  matrix,
  mattermost,
  rocketchat,
  zulip,
} as const;

/** Names the dialect of a target for threads, which load it themselves: a plug-in is named by its file. */
export type DialectRef = "fanfare" | keyof typeof PLUGINS | `file:${string}`;

export async function loadDialect(ref: DialectRef): Promise<Dialect> {
  if (ref === "fanfare") return DIALECTS.fanfare;
  return isFile(ref) ? (await importPlugin(ref)).dialect : PLUGINS[ref].dialect;
}

function isFile(ref: DialectRef): ref is `file:${string}` {
  return ref.startsWith("file:");
}
