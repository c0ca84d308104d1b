import type { Call } from "@fanfare/contract";

/** All channels and the inbox are read: page by page, as the server does it. */
export async function markEverythingRead(call: Call): Promise<void> {
  let cursor: string | null = null;
  do {
    const answer: { nextCursor: string | null } = await call(
      "inbox.markAllRead",
      cursor === null ? {} : { cursor },
    );
    cursor = answer.nextCursor;
  } while (cursor !== null);
}
