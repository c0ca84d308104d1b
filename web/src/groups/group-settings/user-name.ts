import type { User } from "@fanfare/contract";
import i18next from "i18next";

/** The name to show for somebody: a dash until it is known. */
export function userName(user: User | undefined): string {
  if (user === undefined) return "–";
  return user.deleted === true ? i18next.t("group-settings:deletedUser") : user.nickname;
}
