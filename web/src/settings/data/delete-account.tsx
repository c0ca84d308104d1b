import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { useGroups } from "../../data/groups.ts";
import { useMe } from "../../data/me.ts";
import { groupSettingsPath } from "../../routes.ts";
import { Avatar } from "../../ui/display.tsx";
import { ListRow } from "../../ui/list-row.tsx";
import { Button, buttonClass } from "../../ui/button.tsx";
import { Checkbox } from "../../ui/checkbox.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { ErrorNote } from "../../ui/feedback.tsx";
import { useForm } from "../../ui/form.tsx";
import { WarnNote } from "../../ui/warn-note.tsx";
import { CodeField } from "../../session/account-fields.tsx";
import { endSession } from "../../session/session-store.ts";
import { Section } from "../../ui/settings-layout.tsx";
import { CurrentPassword, type OidcProof, useConfirmation } from "../security/confirmation.tsx";

/** Owned groups must be transferred or deleted first. */
export function DeleteAccount() {
  const { t } = useTranslation("settings");
  const me = useMe();
  const { data: groups } = useGroups();
  const owned = groups?.filter(({ ownerId }) => ownerId === me.id) ?? [];
  const { open, proof, busy, ask, close, hint, error } = useConfirmation(["deleteAccount"]);
  return (
    <Section title={t("delete.title")} text={t("delete.text")}>
      {owned.length > 0 && (
        <div className="grid gap-2 rounded-md bg-warn-soft px-3 py-2 text-warn-text">
          <p className="text-sm">{t("delete.owned")}</p>
          <ul className="grid gap-1 text-text">
            {owned.map(({ id, name, iconUrl }) => (
              <ListRow
                key={id}
                leading={<Avatar id={id} name={name} src={iconUrl} shape="square" />}
                title={name}
                trailing={
                  <Link href={groupSettingsPath(id, "danger")} className={buttonClass({ size: "sm" })}>
                    {t("delete.transferOrDelete")}
                  </Link>
                }
              />
            ))}
          </ul>
        </div>
      )}
      <div>
        <Button
          variant="danger"
          disabled={groups === undefined || owned.length > 0 || ask === null}
          busy={busy}
          onClick={() => ask?.("deleteAccount")}
        >
          {t("delete.action")}
        </Button>
      </div>
      {hint !== null && <p className="text-sm text-muted">{hint}</p>}
      <ErrorNote text={error} />
      {open === "deleteAccount" && <DeleteAccountDialog proof={proof} onClose={close} />}
    </Section>
  );
}

interface DeleteAccountDialogProps {
  /** null asks for the password, except for guests. */
  proof: OidcProof | null;
  onClose: () => void;
}

function DeleteAccountDialog({ proof, onClose }: DeleteAccountDialogProps) {
  const { t } = useTranslation("settings");
  const { hasPassword, totpEnabled } = useMe();
  const form = useForm({
    initial: { password: "", code: "", understood: false },
    submit: ({ password, code }) =>
      endSession(
        (client) =>
          client.call("user.deleteMe", {
            ...(proof ?? (hasPassword && { password })),
            ...(totpEnabled && { code: code.trim() }),
          }),
        "deleted",
      ),
    fieldOfError: { WRONG_CREDENTIALS: "password", WRONG_CODE: "code", TOTP_REQUIRED: "code" },
  });
  return (
    <FormDialog
      onClose={onClose}
      title={t("delete.title")}
      danger
      form={form}
      action={t("delete.action")}
      more={
        <Button variant="ghost" onClick={onClose}>
          {t("ui:cancel")}
        </Button>
      }
      disabled={!form.values.understood}
    >
      <WarnNote danger>{t("delete.warning")}</WarnNote>
      {hasPassword && <CurrentPassword autoFocus {...form.field("password")} />}
      {totpEnabled && <CodeField autoFocus={!hasPassword} {...form.field("code")} />}
      <Checkbox
        label={t("delete.confirm")}
        checked={form.values.understood}
        onChange={(understood) => form.set("understood", understood)}
      />
    </FormDialog>
  );
}
