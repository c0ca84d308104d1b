import type { Handler } from "@fanfare/kernel";
import type { Parts } from "../parts.ts";

/** The messages go in the background; what is noted is taken up again by another worker. */
export function removeChannels({ remover, node }: Parts): Handler<"message.removeChannels"> {
  return async ({ params }) => {
    await remover.remove(params.channelIds);
    node.broadcast("channel.emptied", { channelIds: params.channelIds });
    return {};
  };
}
