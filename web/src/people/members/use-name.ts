import type { User } from "@fanfare/contract";
import { useTranslation } from "react-i18next";

/** What to call somebody: an ellipsis until it is known. */
export function useName(user: User | undefined): string {
  const { t } = useTranslation("members");
  if (user === undefined) return "…";
  return user.deleted === true ? t("deleted") : user.nickname;
}
