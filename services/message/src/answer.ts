import { type Card, type Control, type Ephemeral, userRoom } from "@fanfare/contract";
import { type Access, can, type Handlers, newId, serviceError } from "@fanfare/kernel";
import { edit } from "./change.ts";
import type { MessageDependencies } from "./message.dependencies.ts";
import { accessOfSender, checkCardImages, nonEmpty } from "./send.ts";

interface EphemeralSend {
  channelId: string;
  authorId: string;
  access: Access;
  /** Who sees it. */
  userId: string;
  content: string;
  cards?: Card[] | undefined;
  controls?: Control[] | undefined;
  /** A client that receives an id again replaces the message. */
  id: string;
}

export function answerActions(dependencies: MessageDependencies): Handlers {
  const { node, sender } = dependencies;
  return {
    "message.sendEphemeral": async ({ params, actor: { userId: authorId, kind }, access }) => {
      if (kind !== "bot") throw serviceError("BOTS_ONLY");
      checkCardImages(params.cards, []);
      return { ephemeral: await sendEphemeral(dependencies, { ...params, authorId, access, id: newId() }) };
    },

    "message.answer": async ({ params: { as, messageId, userId, ...answer } }) => {
      const { authorId, channelId, nonce: id } = answer;
      const message = { ...answer, content: answer.content ?? "" };
      const access = await accessOfSender(node, authorId, channelId);
      checkCardImages(as === "update" ? [] : message.cards, []);
      if (as === "ephemeral") {
        await sendEphemeral(dependencies, { ...message, userId, access, id });
      } else if (as === "message") {
        await sender.send({ ...message, mentionAuthor: false, access, services: null });
      } else {
        if (messageId === undefined) throw serviceError("MESSAGE_NOT_FOUND");
        await edit(dependencies, { ...answer, messageId, userId: authorId, access });
      }
      return {};
    },
  };
}

/** @throws {ServiceError} MEMBER_NOT_FOUND if the user can't see the channel */
async function sendEphemeral(
  { node, filters }: MessageDependencies,
  { access, userId, ...message }: EphemeralSend,
): Promise<Ephemeral> {
  const { channelId } = message;
  if (!can(await node.access.get(userId, { channelId }), "view")) throw serviceError("MEMBER_NOT_FOUND");
  const { written, reportedBy, limit } = await filters.apply(access, message, false);
  // It isn't stored, so moderators couldn't look at it.
  if (reportedBy !== null) throw serviceError("MESSAGE_REFUSED", { rule: reportedBy, limit });
  const cards = nonEmpty(written.cards);
  const links = nonEmpty(written.controls?.filter((control) => control.kind === "link"));
  const ephemeral: Ephemeral = {
    id: message.id,
    channelId,
    authorId: message.authorId,
    content: written.content,
    ...(cards !== undefined && { cards }),
    ...(links !== undefined && { controls: links }),
    createdAt: new Date().toISOString(),
  };
  node.publish(userRoom(userId), "ephemeral.created", { ephemeral });
  return ephemeral;
}
