import type { Passkey } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";
import { Fingerprint, Pencil, Trash2 } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useEffect, useState } from "react";
import { useCall } from "../../data/call.ts";
import { useMe, usePasskeys } from "../../data/me.ts";
import { CodeField } from "../../session/account-fields.tsx";
import { canUsePasskeys, useServerMeta } from "../../session/server-meta.ts";
import { ErrorWithText, isErrorOf, useAction } from "../../shared/use-action.ts";
import { formatTime } from "../../shared/times.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { FormDialog, NameDialog } from "../../ui/form-dialog.tsx";
import { openDialog } from "../../ui/open-dialog.tsx";
import { Rows } from "../../shared/paged-list.tsx";
import { SkeletonRows, ErrorNote } from "../../ui/feedback.tsx";
import { TextField, useForm } from "../../ui/form.tsx";
import { ListRow, RowIcon } from "../../ui/list-row.tsx";
import { Section } from "../../ui/settings-layout.tsx";
import { useDeviceName } from "./device.ts";
import { CurrentPassword, PasswordDialog } from "./confirmation.tsx";
import { Badge } from "../../ui/display.tsx";
import { clearOidcReturn, oidcReturn } from "../../session/oidc-return.ts";
import { oidcFailure, startOidc, useOidcProviders } from "../../session/oidc.tsx";

/** Hidden where only single sign-on is accepted, a directory decides who can log in, or the server has no name. */
export function PasskeysSection() {
  const { t } = useTranslation("settings");
  const { hasPassword, passwordInDirectory = false } = useMe();
  const { passwordLogin, passkeyOrigin } = useServerMeta() ?? {};
  const passkeys = usePasskeys();
  if (passwordLogin === false || passwordInDirectory || passkeyOrigin === null) return null;
  const isHere = passkeyOrigin === location.origin;
  return (
    <Section title={t("passkeys.title")} text={t("passkeys.text")}>
      <Rows
        of={passkeys}
        label={t("passkeys.title")}
        className="grid grid-cols-1 gap-px"
        placeholder={<SkeletonRows count={1} withAvatar />}
        empty={<p className="text-sm text-muted">{t("passkeys.none")}</p>}
      >
        {(passkey) => <PasskeyRow key={passkey.id} passkey={passkey} />}
      </Rows>
      <div>
        <Button
          disabled={!hasPassword || !canUsePasskeys || !isHere}
          onClick={() => openDialog((onClose) => <AddDialog onClose={onClose} />)}
        >
          {t("passkeys.add")}
        </Button>
      </div>
      {passkeyOrigin !== undefined && !isHere && (
        <p className="text-sm text-muted">{t("passkeys.elsewhere", { address: passkeyOrigin })}</p>
      )}
      {isHere && !canUsePasskeys && <p className="text-sm text-muted">{t("passkeys.unavailable")}</p>}
      {!hasPassword && <p className="text-sm text-muted">{t("totp.needsPassword")}</p>}
    </Section>
  );
}

function PasskeyRow({ passkey }: { passkey: Passkey }) {
  const { t } = useTranslation("settings");
  const { name, createdAt, lastUsedAt } = passkey;
  const created = t("passkeys.created", { time: formatTime(createdAt, "dateTime") });
  const used =
    lastUsedAt === null
      ? t("passkeys.neverUsed")
      : t("sessions.lastUsed", { time: formatTime(lastUsedAt, "dateTime") });
  return (
    <ListRow
      leading={<RowIcon icon={Fingerprint} />}
      title={name}
      subtitle={<span className="whitespace-normal">{`${created} · ${used}`}</span>}
      trailing={
        <>
          <IconButton
            icon={Pencil}
            size="sm"
            label={t("common:renameTitle", { name })}
            onClick={() => openDialog((onClose) => <RenameDialog passkey={passkey} onClose={onClose} />)}
          />
          <IconButton
            icon={Trash2}
            size="sm"
            label={t("composer:upload.remove", { name })}
            onClick={() => openDialog((onClose) => <RemoveDialog passkey={passkey} onClose={onClose} />)}
          />
        </>
      }
    />
  );
}

function AddDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation("settings");
  const call = useCall();
  const { totpEnabled } = useMe();
  const deviceName = useDeviceName()(navigator.userAgent).slice(0, LIMITS.passkeyNameMaxChars);
  const form = useForm({
    initial: { name: deviceName, password: "", code: "" },
    async submit({ name, password, code }) {
      const { createPasskey } = await import("../../session/passkeys.ts");
      const { options } = await call("user.startPasskeySetup", {
        password,
        ...(totpEnabled && { code: code.trim() }),
      });
      // A code works once: another attempt needs a new one.
      form.set("code", "");
      await call("user.addPasskey", { name, ...(await createPasskey(options)) }).catch((error: unknown) => {
        const isRefused = isErrorOf(error, "PASSKEY_REFUSED");
        throw isRefused ? new ErrorWithText(t("passkeys.refused"), { cause: error }) : error;
      });
    },
    saved: t("passkeys.added"),
    onDone: onClose,
    fieldOfError: { WRONG_CREDENTIALS: "password", WRONG_CODE: "code", TOTP_REQUIRED: "code" },
  });
  return (
    <FormDialog
      onClose={onClose}
      title={t("passkeys.add")}
      description={t("passkeys.addText")}
      form={form}
      action={t("passkeys.add")}
      disabled={form.values.name.trim() === ""}
    >
      <TextField
        label={t("common:name")}
        hint={t("passkeys.nameHint")}
        required
        maxLength={LIMITS.passkeyNameMaxChars}
        {...form.field("name")}
      />
      <CurrentPassword autoFocus {...form.field("password")} />
      {totpEnabled && <CodeField autoFocus={false} {...form.field("code")} />}
    </FormDialog>
  );
}

interface PasskeyDialogProps {
  passkey: Passkey;
  onClose: () => void;
}

function RenameDialog({ passkey: { id, name }, onClose }: PasskeyDialogProps) {
  const { t } = useTranslation("settings");
  const call = useCall();
  return (
    <NameDialog
      onClose={onClose}
      title={t("common:renameTitle", { name })}
      name={name}
      required
      maxLength={LIMITS.passkeyNameMaxChars}
      onSave={(wanted) => call("user.renamePasskey", { passkeyId: id, name: wanted })}
    />
  );
}

function RemoveDialog({ passkey: { id, name }, onClose }: PasskeyDialogProps) {
  const { t } = useTranslation("settings");
  const call = useCall();
  return (
    <PasswordDialog
      title={t("composer:upload.remove", { name })}
      text={t("passkeys.removeText")}
      danger
      saved={t("passkeys.removed")}
      onClose={onClose}
      submit={(password) => call("user.removePasskey", { passkeyId: id, password })}
    />
  );
}

export function OidcSection() {
  const { t } = useTranslation("settings");
  const { oidcProviders, hasPassword } = useMe();
  const usable = useOidcProviders();
  // One that the server no longer has can only be disconnected.
  const former = oidcProviders.filter((linked) => usable.every(({ id }) => id !== linked));
  const providers = [...usable, ...former.map((id) => ({ id, name: null }))];
  const call = useCall();
  const [back, setBack] = useState(() => oidcReturn("link"));
  const { busy, error, run } = useAction();
  useEffect(clearOidcReturn, []);
  if (providers.length === 0) return null;
  const unlink = (provider: string) =>
    openDialog((onClose) => (
      <PasswordDialog
        title={t("oidc.unlink")}
        text={t("oidc.unlinkText")}
        onClose={onClose}
        submit={(password) => call("user.unlinkOidc", { password, provider })}
      />
    ));
  return (
    <Section title={t("oidc.title")} text={t("oidc.text")}>
      {providers.map(({ id, name }) => {
        const isLinked = oidcProviders.includes(id);
        return (
          <div key={id} className="flex flex-wrap items-center gap-3">
            {name !== null && <span className="font-medium">{name}</span>}
            <Badge tone={isLinked ? "good" : "neutral"}>
              {isLinked ? t("oidc.linked") : t("oidc.notLinked")}
            </Badge>
            {isLinked ? (
              <Button disabled={!hasPassword} onClick={() => unlink(id)}>
                {t("oidc.unlink")}
              </Button>
            ) : (
              <Button
                disabled={!hasPassword}
                busy={busy}
                onClick={() => void run(() => startOidc(id, { purpose: "link", stay: true }))}
              >
                {t("oidc.link")}
              </Button>
            )}
          </div>
        );
      })}
      {!hasPassword && <p className="text-sm text-muted">{t("totp.needsPassword")}</p>}
      <ErrorNote text={error ?? oidcFailure(back)} />
      {back !== null && "oidcCode" in back && (
        <PasswordDialog
          title={t("oidc.link")}
          text={t("oidc.linkText")}
          onClose={() => setBack(null)}
          submit={(password) =>
            call("user.linkOidc", { oidcCode: back.oidcCode, verifier: back.trip.verifier, password })
          }
        />
      )}
    </Section>
  );
}
