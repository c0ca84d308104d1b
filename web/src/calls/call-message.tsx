import type { Message } from "@fanfare/contract";
import { Phone, PhoneMissed } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useHasCalls } from "../session/server-meta.ts";
import { useMessageContext } from "../channel/messages/list/use-rows.ts";
import { Button } from "../ui/button.tsx";
import { cx } from "../ui/cx.ts";
import { callText } from "./call-text.ts";
import { useJoin } from "./call-store.ts";

/** The message that a call leaves in its channel: "Call, 12 min" or "Missed call". */
export function CallSummary({ message: { call, authorId } }: { message: Message }) {
  const { t } = useTranslation("calls");
  const { channel, ownId } = useMessageContext();
  const join = useJoin();
  const hasCalls = useHasCalls();
  if (call === undefined) return null;
  const { missed } = call;
  const isOwn = authorId === ownId;
  const Icon = missed ? PhoneMissed : Phone;
  return (
    <div className="mt-1 flex w-fit max-w-full items-center gap-3 rounded-md border border-line bg-raised px-3 py-2">
      <span
        className={cx(
          "flex size-9 shrink-0 items-center justify-center rounded-full",
          missed && !isOwn ? "bg-danger-soft text-danger-text" : "bg-good-soft text-good",
        )}
      >
        <Icon size={18} aria-hidden />
      </span>
      <p className="min-w-0 pe-2 font-medium">{callText(call, isOwn)}</p>
      {missed && !isOwn && hasCalls && (
        <Button size="sm" icon={Phone} onClick={() => join(channel)}>
          {t("message.callBack")}
        </Button>
      )}
    </div>
  );
}
