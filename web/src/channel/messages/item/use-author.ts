import type { Message } from "@fanfare/contract";
import { useTranslation } from "react-i18next";
import { useUser } from "../../../data/people.ts";

/** How the author of a message is shown. */
export interface Author {
  name: string;
  avatarUrl: string | null;
  /** A word about it where it is nobody who writes here. */
  mark: "bot" | "webhook" | "imported" | null;
}

/** Messages that came with an imported group begin their nonce so. */
const IMPORTED = "imported-";

export function useAuthor({ authorId, as, nonce }: Pick<Message, "authorId" | "as" | "nonce">): Author {
  const { t } = useTranslation("messages");
  const user = useUser(as === undefined ? authorId : null);
  if (as !== undefined) return { name: as.name, avatarUrl: ownPicture(as.avatarUrl), mark: "webhook" };
  const mark = user?.kind === "bot" ? "bot" : nonce.startsWith(IMPORTED) ? "imported" : null;
  const name = user?.deleted === true ? t("author.deleted") : (user?.nickname ?? "");
  return { name, avatarUrl: user?.avatarUrl ?? null, mark };
}

/** A picture from elsewhere would tell its server who reads. */
function ownPicture(url: string | null): string | null {
  return url !== null && URL.parse(url, location.href)?.origin === location.origin ? url : null;
}
