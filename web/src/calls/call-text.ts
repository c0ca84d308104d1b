import type { EndedCall } from "@fanfare/contract";
import i18next from "i18next";
import { formatsOf } from "../shared/formats.ts";

/** What the message of a call says: "Call, 12 min" or "Missed call". */
export function callText({ durationSeconds, missed }: EndedCall, isOwn: boolean): string {
  if (missed) return isOwn ? i18next.t("calls:message.unanswered") : i18next.t("calls:message.missed");
  const duration = formatsOf(i18next.language).duration(durationSeconds * 1000);
  return i18next.t("calls:message.call", { duration });
}
