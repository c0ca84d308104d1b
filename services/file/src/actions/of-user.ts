import type { Handler } from "@fanfare/kernel";
import { LIMITS } from "@fanfare/contract";
import type { FileDependencies } from "../file.dependencies.ts";
import { isThere } from "../file.policy.ts";
import { presentFile } from "../file.presenter.ts";

/** What is known of the files, not their bytes: file.getUrl leads to those. */
export function exportUser({ files }: FileDependencies): Handler<"file.exportUser"> {
  return async ({ params: { userId, cursor } }) => {
    const page = await files.page(userId, cursor ?? undefined, LIMITS.pageMaxItems);
    const last = page.length < LIMITS.pageMaxItems ? undefined : page.at(-1);
    return {
      items: page.filter(isThere).map((file) => ({ kind: "file", data: presentFile(file) })),
      nextCursor: last?._id ?? null,
    };
  };
}

/** What is part of a message stays with it. */
export function forgetUser({ files }: FileDependencies): Handler<"file.forgetUser"> {
  return async ({ params: { userId } }) => {
    const now = new Date();
    await files.markDeleting({ ownerId: userId, state: "unclaimed" }, now);
    await files.markDeleting({ pictureOf: `user:${userId}` }, now);
    return {};
  };
}
