import { Check, Copy } from "lucide-react";
import { useCallback, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { errorText } from "../../shared/error-text.ts";
import { invitePath } from "../../routes.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { useClient } from "../session/client-context.ts";

/** A new link into the group, to be copied. */
export function InviteDialog({ groupId, onClose }: { groupId: string; onClose: () => void }) {
  const { t } = useTranslation("invites");
  const { link, error, retry } = useNewLink(groupId);
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(link);
    setCopied(true);
  };
  return (
    <Dialog open onClose={onClose} title={t("inviteOthers")} description={t("whoOpensJoins")}>
      <TextField
        label={t("link")}
        value={link}
        readOnly
        placeholder="…"
        onFocus={(event) => event.target.select()}
        after={
          // Without https a browser has no clipboard for pages: the link can be selected.
          window.isSecureContext && (
            <Button
              variant="primary"
              disabled={link === ""}
              icon={copied ? <Check size={16} aria-hidden /> : <Copy size={16} aria-hidden />}
              onClick={() => void copy()}
            >
              {copied ? t("copied") : t("copy")}
            </Button>
          )
        }
      />
      {link === "" && <ErrorNote text={error} onRetry={retry} />}
    </Dialog>
  );
}

function useNewLink(groupId: string) {
  const client = useClient();
  const [link, setLink] = useState("");
  const [error, setError] = useState<string | null>(null);
  const make = useCallback(() => {
    client.call("invite.create", { groupId }).then(
      ({ invite }) => setLink(new URL(invitePath(invite.code), location.origin).href),
      (failure: unknown) => setError(errorText(failure)),
    );
  }, [client, groupId]);
  useEffect(make, [make]);
  return { link, error, retry: make };
}
