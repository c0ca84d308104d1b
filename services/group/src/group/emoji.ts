import { EMOJI_LIMITS, type EmojiKind, emojiName, groupRoom } from "@fanfare/contract";
import { assertBelow, type Handlers, invalid, orThrow, serviceError } from "@fanfare/kernel";
import type { GroupDependencies } from "../group.dependencies.ts";
import { presentEmoji } from "../group.presenter.ts";

/** A group's own emoji, stickers and GIFs. Each has the id of its file, so that adding it can be repeated. */
export function emojiActions({ node, groups, emoji: emojis, audit }: GroupDependencies): Handlers {
  return {
    "emoji.list": async ({ params: { groupId } }) => ({
      emoji: (await emojis.listOfGroup(groupId)).map(presentEmoji),
    }),

    "emoji.add": async ({ params: { groupId, kind, fileId, name }, actor: { userId }, services }) => {
      checkName(kind, name);
      const existing = await emojis.listOfGroup(groupId);
      const same = existing.find((one) => one.name === name);
      if (same?._id === fileId) return { emoji: presentEmoji(same) };
      if (same !== undefined) throw serviceError("EMOJI_NAME_TAKEN");
      const ofKind = existing.filter((one) => presentEmoji(one).kind === kind);
      assertBelow(EMOJI_LIMITS[kind].perGroup, ofKind.length);
      const of = { type: "emoji", id: groupId, kind } as const;
      const picture = await services.file.usePicture({ fileId, userId, of });
      const stored = { _id: fileId, groupId, name, ...picture, createdBy: userId, createdAt: new Date() };
      const added = await emojis.insert({ ...stored, ...(kind !== "emoji" && { kind }) });
      // Checked after the insert, so that a group being deleted doesn't leave an emoji behind.
      const isGone = (await groups.find(groupId)) === null;
      if (isGone && added !== null) await emojis.remove(groupId, fileId);
      if (isGone || added === null) {
        if ((await emojis.find(groupId, fileId)) === null) await services.file.dropPictures({ of, fileId });
        throw serviceError(isGone ? "GROUP_NOT_FOUND" : "EMOJI_NAME_TAKEN");
      }
      const emoji = presentEmoji(added);
      await audit(groupId, userId, "emoji.add", { targetId: fileId, after: { name, kind } });
      node.publish(groupRoom(groupId), "emoji.added", { emoji });
      return { emoji };
    },

    "emoji.rename": async ({ params: { groupId, emojiId, name }, actor: { userId } }) => {
      const before = orThrow(await emojis.find(groupId, emojiId), "EMOJI_NOT_FOUND");
      if (before.name === name) return { emoji: presentEmoji(before) };
      const { kind } = presentEmoji(before);
      checkName(kind, name);
      const emoji = presentEmoji(orThrow(await emojis.rename(groupId, emojiId, name), "EMOJI_NAME_TAKEN"));
      await audit(groupId, userId, "emoji.rename", {
        targetId: emojiId,
        before: { name: before.name, kind },
        after: { name, kind },
      });
      node.publish(groupRoom(groupId), "emoji.renamed", { emoji });
      return { emoji };
    },

    "emoji.delete": async ({ params: { groupId, emojiId }, actor: { userId }, services }) => {
      const { name, kind } = presentEmoji(orThrow(await emojis.find(groupId, emojiId), "EMOJI_NOT_FOUND"));
      if (!(await emojis.remove(groupId, emojiId))) throw serviceError("EMOJI_NOT_FOUND");
      await audit(groupId, userId, "emoji.delete", { targetId: emojiId, before: { name, kind } });
      node.publish(groupRoom(groupId), "emoji.deleted", { groupId, emojiId });
      // A picture that couldn't be removed is removed with the group.
      await services.file
        .dropPictures({ of: { type: "emoji", id: groupId }, fileId: emojiId })
        .catch(() => undefined);
      return {};
    },

    "emoji.exists": async ({ params: { groupId, name } }) => ({
      exists: await emojis.hasName(groupId, name),
    }),

    "emoji.find": async ({ params: { groupId, emojiId } }) => {
      const emoji = await emojis.find(groupId, emojiId);
      return { emoji: emoji && presentEmoji(emoji) };
    },
  };
}

/** Only emoji are written in texts. */
function checkName(kind: EmojiKind, name: string): void {
  if (kind !== "emoji") return;
  const { success, error } = emojiName.safeParse(name);
  if (!success) throw invalid("name", error.issues[0]!.message);
}
