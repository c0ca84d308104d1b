import { defineService, type NodeContext, type ServiceFactory } from "@fanfare/kernel";
import { Outbound } from "@fanfare/outbound";
import { createPreviews } from "./previews.ts";

/** Previews of what messages link to. It has no actions: it hears of messages, and changes them. */
export function createPreviewService(node: NodeContext): ReturnType<ServiceFactory> {
  // Where previews are off nobody listens, so that nothing is told.
  if (!node.config.linkPreviews) return defineService(node, { name: "preview", actions: {} });
  const outbound = new Outbound({ userAgent: "Fanfare-Preview", allow: node.config.outboundAllow });
  const previews = createPreviews({ node, outbound });
  return defineService(node, {
    name: "preview",
    actions: {},
    events: { "message.stored": ({ messages }) => previews.add(messages) },
    stopped: () => outbound.close(),
  });
}
