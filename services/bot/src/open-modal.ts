import { LIMITS, type Modal, type OpenedModal, userRoom } from "@fanfare/contract";
import { can, type NodeContext, orThrow, type Sealer, serviceError } from "@fanfare/kernel";
import type { ModalRepository } from "./modal.repository.ts";

/** What a user has done, for which the bot can open a modal. */
export interface Trigger {
  id: string;
  channelId: string;
  userId: string;
}

/** Seals it for a bot, together with the time until which it is valid. */
export function sealTrigger(sealer: Sealer, botId: string, { id, channelId, userId }: Trigger): string {
  const untilMs = Date.now() + LIMITS.triggerLifetimeMs;
  return sealer.seal(JSON.stringify([id, channelId, userId, untilMs]), botId);
}

/** @throws {ServiceError} TRIGGER_EXPIRED if it is too old, or not for this bot */
export function openTrigger(sealer: Sealer, botId: string, sealed: string): Trigger {
  const opened = orThrow(sealer.open(sealed, botId), "TRIGGER_EXPIRED");
  const [id, channelId, userId, untilMs] = JSON.parse(opened.text) as [string, string, string, number];
  if (Date.now() > untilMs) throw serviceError("TRIGGER_EXPIRED");
  return { id, channelId, userId };
}

/** @throws {ServiceError} TRIGGER_EXPIRED if the user can no longer see the channel */
export async function openModal(
  { node, modals }: { node: Pick<NodeContext, "access" | "publish">; modals: Pick<ModalRepository, "put"> },
  botId: string,
  { id, channelId, userId }: Trigger,
  modal: Modal,
): Promise<void> {
  if (!can(await node.access.get(userId, { channelId }), "view")) throw serviceError("TRIGGER_EXPIRED");
  const expiresAt = new Date(Date.now() + LIMITS.modalLifetimeMs);
  await modals.put({ _id: id, botId, channelId, userId, name: modal.id, fields: modal.fields, expiresAt });
  const opened: OpenedModal = { id, botId, channelId, modal, expiresAt: expiresAt.toISOString() };
  node.publish(userRoom(userId), "modal.opened", { modal: opened });
}
