import { CircleAlert } from "lucide-react";
import { useTranslation } from "react-i18next";
import { errorText } from "../../../shared/error-text.ts";
import { Button } from "../../../ui/button.tsx";
import type { UnsentMessage } from "../conversation.ts";
import { useMessageContext } from "../list/message-context.ts";
import { Markdown } from "../markdown/markdown.tsx";
import { deleteUnsent, sendAgain } from "../outbox.ts";

/** A message that could not be sent, to be sent again or deleted. */
export function UnsentItem({ failed }: { failed: UnsentMessage }) {
  const { t } = useTranslation("messages");
  const { view } = useMessageContext();
  const { content } = failed.message;
  return (
    <div
      role="group"
      aria-label={t("unsent.label")}
      className="message pending mt-message flex gap-4 px-4 py-1 md:px-5"
    >
      <div className="flex w-10 shrink-0 justify-center pt-1 text-danger-text">
        <CircleAlert size={20} aria-hidden />
      </div>
      <div className="grid min-w-0 flex-1 gap-1 rounded-md border border-danger/60 px-3 py-2">
        {content !== "" && <Markdown content={content} />}
        <p className="text-sm text-danger-text">
          {t("unsent.label")} {errorText(failed.error)}
        </p>
        <div className="flex gap-2">
          <Button size="sm" onClick={() => void sendAgain(view, failed)}>
            {t("unsent.again")}
          </Button>
          <Button size="sm" variant="ghost" onClick={() => deleteUnsent(failed)}>
            {t("unsent.delete")}
          </Button>
        </div>
      </div>
    </div>
  );
}
