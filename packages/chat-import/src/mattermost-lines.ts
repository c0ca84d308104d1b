import { z } from "zod";
import { flag, list, maybe, number, strings, text } from "./history.ts";
import { type Bytes, jsonLines } from "./inputs.ts";
import type { Report } from "./report.ts";

const teamSchema = z.object({ name: z.string(), display_name: text });
const channelSchema = z.object({
  team: text,
  name: z.string(),
  display_name: text,
  type: text,
  header: text,
  purpose: text,
  deleted_at: number,
});
const userSchema = z.object({
  username: z.string(),
  email: text,
  nickname: text,
  first_name: text,
  last_name: text,
  delete_at: number,
  teams: list(z.object({ name: text, roles: text, channels: list(z.object({ name: text })) })),
});
const botSchema = z.object({ username: z.string(), display_name: text });
const replySchema = z.object({
  user: z.string(),
  type: text,
  message: text,
  create_at: number,
  edit_at: number,
  is_pinned: flag,
  reactions: list(z.object({ user: text, emoji_name: text })),
  attachments: list(z.object({ path: text })),
  props: maybe(z.object({ override_username: text, attachments: list(z.object({ fallback: text, text })) })),
});
const threadSchema = replySchema.extend({ replies: list(replySchema) });
const postSchema = threadSchema.extend({ team: text, channel: text });
/** Newer exports have participants instead of members. */
const directSchema = z.object({ members: strings, participants: list(z.object({ username: z.string() })) });
export type Post = z.output<typeof replySchema>;
export type Thread = z.output<typeof threadSchema>;

/** The kinds of lines; further ones, such as roles and schemes, are settings of Mattermost. */
const lineSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("team"), team: teamSchema }),
  z.object({ type: z.literal("channel"), channel: channelSchema }),
  z.object({ type: z.literal("user"), user: userSchema }),
  z.object({ type: z.literal("bot"), bot: botSchema }),
  z.object({ type: z.literal("post"), post: postSchema }),
  z.object({ type: z.literal("direct_channel"), direct_channel: directSchema }),
  z.object({
    type: z.literal("direct_post"),
    direct_post: threadSchema.extend({ channel_members: strings }),
  }),
  z.object({ type: z.literal("emoji") }),
]);
export type LineOf<T> = Extract<z.output<typeof lineSchema>, { type: T }>;
const KNOWN: ReadonlySet<unknown> = new Set(lineSchema.options.map(({ shape }) => shape.type.value));

export async function* linesOf(
  bytes: Bytes,
  report: Report | null,
): AsyncGenerator<z.output<typeof lineSchema>> {
  for await (const line of jsonLines(bytes)) {
    const parsed = lineSchema.safeParse(line);
    if (parsed.success) yield parsed.data;
    else if (KNOWN.has((line as { type?: unknown } | null)?.type)) report?.note("unidentified");
  }
}
