import type { Result } from "@fanfare/contract";
import i18next from "i18next";
import { useTranslation } from "react-i18next";
import { errorText, isErrorOf } from "../../shared/use-action.ts";
import { Avatar } from "../../ui/display.tsx";
import { Skeleton } from "../../ui/feedback.tsx";

/** null while loading. */
export function InvitedGroup({ group }: { group: Result<"invite.preview">["group"] | null }) {
  const { t } = useTranslation("session");
  return (
    <div className="grid justify-items-center gap-1 text-center">
      {group === null ? (
        <Skeleton className="size-16 rounded-lg" />
      ) : (
        <Avatar name={group.name} id={group.id} src={group.iconUrl} size={64} shape="square" />
      )}
      <p className="mt-2 text-sm text-muted">{t("invited")}</p>
      {group === null ? (
        <Skeleton className="h-6 w-40" />
      ) : (
        <>
          <p className="text-xl leading-tight font-semibold wrap-anywhere">{group.name}</p>
          <p className="text-sm text-muted">{t("memberCount", { count: group.memberCount })}</p>
        </>
      )}
    </div>
  );
}

/** Any problem with the code itself is a problem of the link. */
export function inviteErrorText(error: unknown): string {
  const isBadCode = isErrorOf(error, "VALIDATION_FAILED");
  return isBadCode ? i18next.t("shared:error.INVITE_NOT_FOUND") : errorText(error);
}

let joiningCode: string | null = null;

/** Records that the user chose to join before logging in. */
export function joinAfterLogin(code: string): void {
  joiningCode = code;
}

export function isJoining(code: string): boolean {
  return joiningCode === code;
}
