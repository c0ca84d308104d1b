import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { useMe } from "../../data/me.ts";
import { clearOidcReturn, type ConfirmedChange, oidcReturn } from "../../session/oidc-return.ts";
import { oidcFailure, startOidc, useOidcProviders } from "../../session/oidc.tsx";
import { useAction } from "../../shared/use-action.ts";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { type TextFieldProps, useForm } from "../../ui/form.tsx";
import { PasswordField } from "../../session/account-fields.tsx";

/** A new login at the OIDC provider, in place of a password. */
export interface OidcProof {
  oidcCode: string;
  verifier: string;
}

/**
 * Dialogs that ask for the password. Users without one are sent to their provider first, and the dialog opens when they return.
 */
export function useConfirmation<Change extends ConfirmedChange>(changes: readonly Change[]) {
  const { t } = useTranslation("settings");
  const { kind, hasPassword, oidcProviders } = useMe();
  const provider = useOidcProviders().find(({ id }) => oidcProviders.includes(id));
  const [back] = useState(() => {
    const change = changes.find((one) => oidcReturn(one) !== null);
    return change === undefined ? null : { change, result: oidcReturn(change)! };
  });
  const returned = back !== null && "oidcCode" in back.result ? back.result : null;
  const [proof, setProof] = useState<OidcProof | null>(
    returned && { oidcCode: returned.oidcCode, verifier: returned.trip.verifier },
  );
  const [open, setOpen] = useState<Change | null>(() => (returned === null ? null : back!.change));
  const { busy, error, run } = useAction();
  useEffect(clearOidcReturn, []);
  const isAskedHere = hasPassword || kind === "guest";
  const ask = (change: Change): void => {
    if (isAskedHere) setOpen(change);
    else if (provider !== undefined) void run(() => startOidc(provider.id, { purpose: change, stay: true }));
  };
  const canConfirm = isAskedHere || provider !== undefined;
  return {
    /** The change whose dialog is open. */
    open,
    /** null: the dialog asks for the password, if the account has one. */
    proof,
    busy,
    /** null when there is no way to confirm. */
    ask: canConfirm ? ask : null,
    close: (): void => {
      setOpen(null);
      // It can only be used once.
      setProof(null);
    },
    /** What happens first. */
    hint: isAskedHere ? null : canConfirm ? t("totp.needsLogin") : t("totp.needsPassword"),
    error: error ?? oidcFailure(back?.result ?? null),
  };
}

interface PasswordDialogProps {
  title: string;
  text: string;
  danger?: boolean;
  /** Toast text after a success. */
  saved?: string;
  onClose: () => void;
  submit: (password: string) => Promise<unknown>;
}

/** Requires the password before a way to log in is added or removed. */
export function PasswordDialog({ title, text, danger = false, saved, onClose, submit }: PasswordDialogProps) {
  const form = useForm({
    initial: { password: "" },
    submit: ({ password }) => submit(password),
    ...(saved !== undefined && { saved }),
    onDone: onClose,
    fieldOfError: { WRONG_CREDENTIALS: "password" },
  });
  return (
    <FormDialog onClose={onClose} title={title} description={text} form={form} action={title} danger={danger}>
      <CurrentPassword autoFocus {...form.field("password")} />
    </FormDialog>
  );
}

export function CurrentPassword(props: Omit<TextFieldProps, "label" | "type" | "after">) {
  const { t } = useTranslation("settings");
  return <PasswordField label={t("account.currentPassword")} autoComplete="current-password" {...props} />;
}
