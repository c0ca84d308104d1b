import type { MemberChange } from "@fanfare/contract";
import { LogIn } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useFormats } from "../../../shared/formats.ts";
import { useNicknames } from "../../../data/members.ts";
import { useUsers } from "../../../data/people.ts";
import { userName } from "../../../people/members/user-name.tsx";
import { formatTime } from "../../../shared/times.ts";
import { useMessageContext } from "./use-rows.ts";

const MAX_NAMES = 3;

interface MemberChangesProps {
  /** At least one. */
  changes: readonly MemberChange[];
}

/** Who joined and left between two messages: "Ada, Grace and 2 others joined. Bob left." */
export function MemberChanges({ changes }: MemberChangesProps) {
  const [joined, left] = [
    changes.filter(({ change }) => change === "joined"),
    changes.filter(({ change }) => change === "left"),
  ];
  return (
    <p className="column flex gap-4 pt-2 text-sm text-muted" title={formatTime(changes[0]!.at, "full")}>
      <span className="flex w-10 shrink-0 justify-center pt-0.5">
        <LogIn size={15} aria-hidden />
      </span>
      <span className="min-w-0 flex-1 wrap-anywhere">
        {joined.length > 0 && <People changes={joined} />}
        {joined.length > 0 && left.length > 0 && " "}
        {left.length > 0 && <People changes={left} />}
      </span>
    </p>
  );
}

/** @param changes all of the same kind */
function People({ changes }: MemberChangesProps) {
  const { t } = useTranslation("messages");
  const count = changes.length;
  const named = changes.slice(0, count > MAX_NAMES ? MAX_NAMES - 1 : MAX_NAMES).map(({ userId }) => userId);
  const users = new Map(useUsers(named).map((user) => [user.id, user]));
  const others = count - named.length;
  const nicknames = useNicknames(useMessageContext().channel.groupId);
  const parts = named.map((userId) => userName(users.get(userId), nicknames[userId]?.nickname));
  if (others > 0) parts.push(t("reaction.others", { count: others }));
  const names = useFormats().names(parts);
  return changes[0]!.change === "joined"
    ? t("members.joined", { count, names })
    : t("members.left", { count, names });
}
