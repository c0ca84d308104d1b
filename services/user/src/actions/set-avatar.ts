import { userRoom } from "@fanfare/contract";
import { serviceError, type Handler } from "@fanfare/kernel";
import type { UserDependencies } from "../user.dependencies.ts";
import type { UserDocument } from "../user.model.ts";
import { presentOwnUser, presentUser } from "../user.presenter.ts";

export function setAvatar(dependencies: UserDependencies): Handler<"user.setAvatar"> {
  return async ({ params: { fileId }, actor, call }) => {
    const of = { type: "user", id: actor.userId } as const;
    const { url } = await call("file.usePicture", { fileId, userId: actor.userId, of });
    const changed = await show(dependencies, actor, url);
    // What is left of it is dropped with the next one.
    await call("file.dropPictures", { of, exceptFileId: fileId }).catch(() => undefined);
    return { user: presentOwnUser(changed) };
  };
}

export function removeAvatar(dependencies: UserDependencies): Handler<"user.removeAvatar"> {
  return async ({ actor, call }) => {
    const changed = await show(dependencies, actor, null);
    await call("file.dropPictures", { of: { type: "user", id: actor.userId } });
    return { user: presentOwnUser(changed) };
  };
}

async function show(
  { node, users }: UserDependencies,
  { userId, kind }: { userId: string; kind: UserDocument["kind"] },
  avatarUrl: string | null,
): Promise<UserDocument> {
  const changed = await users.setProfile(userId, { kind, avatarUrl });
  if (changed === null) throw serviceError("UNAUTHENTICATED");
  const user = presentUser(changed);
  node.publish(userRoom(userId), "user.updated", { user });
  node.broadcast("user.profileChanged", { user });
  return changed;
}
