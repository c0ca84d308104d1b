import { FanfareError } from "@fanfare/client";
import type { Result } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";
import type { TFunction } from "i18next";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useCall } from "../../data/call.ts";
import { useMe } from "../../data/me.ts";
import { useServerMeta } from "../../session/server-meta.ts";
import { useFormats } from "../../shared/formats.ts";
import { ErrorWithText } from "../../shared/use-action.ts";
import { showToast } from "../../ui/feedback.tsx";
import { Form, TextArea, useForm } from "../../ui/form.tsx";

/** A form that emails invites; nothing if the server sends no emails. */
export function EmailInvites({ groupId }: { groupId: string }) {
  const { t } = useTranslation("groups");
  const { kind } = useMe();
  const sendsMail = useServerMeta()?.sendsMail === true;
  const call = useCall();
  const { list } = useFormats();
  const [skipped, setSkipped] = useState<Result<"invite.email">["skipped"]>([]);
  const form = useForm({
    initial: { addresses: "" },
    async submit({ addresses }) {
      setSkipped([]);
      const emails = addressesIn(addresses);
      const max = LIMITS.emailInvitesPerCall;
      if (emails.length > max) throw new ErrorWithText(t("email.tooMany", { max }));
      const result = await call("invite.email", { groupId, emails }).catch((error: unknown) => {
        throw explained(error, emails, list, t);
      });
      setSkipped(result.skipped);
      form.set("addresses", "");
      const count = result.invites.length;
      if (count > 0) showToast({ text: t("email.sent", { count }), tone: "good" });
    },
  });
  if (!sendsMail || kind === "guest") return null;
  const skippedFor = (reason: "invited" | "refused") =>
    list(skipped.flatMap((one) => (one.reason === reason ? [one.email] : [])));
  const [invited, refused] = [skippedFor("invited"), skippedFor("refused")];
  return (
    <Form form={form} action={t("email.action")} disabled={addressesIn(form.values.addresses).length === 0}>
      <TextArea
        label={t("email.addresses")}
        hint={t("email.hint", { max: LIMITS.emailInvitesPerCall })}
        inputMode="email"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        {...form.field("addresses")}
      />
      {skipped.length > 0 && (
        <div role="status" className="grid gap-1 text-sm wrap-anywhere">
          {invited !== "" && <p>{t("email.invited", { addresses: invited })}</p>}
          {refused !== "" && <p>{t("email.refused", { addresses: refused })}</p>}
        </div>
      )}
    </Form>
  );
}

/** Separated by commas, semicolons, spaces or lines; also with names, as mail programs copy them. */
export function addressesIn(text: string): string[] {
  // Quoted names can have commas.
  const withoutQuoted = text.replaceAll(/"[^"\n]*"(?=\s*<)/g, " ");
  const parts = withoutQuoted.split(/[,;\n]/).flatMap((part) => {
    const named = [...part.matchAll(/<([^<>]+)>/g)].map((match) => match[1]!);
    const words = part.replaceAll(/<[^<>]*>/g, " ").split(/\s+/);
    return named.length === 0 ? words : [...words.filter((word) => word.includes("@")), ...named];
  });
  return [...new Set(parts.map((part) => part.trim()).filter((part) => part !== ""))];
}

const LIMIT_TEXTS = ["emailInvitesPerUser", "emailInvitesPerGroup", "invitesPerGroup"] as const;

/** Names the addresses that are wrong, and the limit that is reached. */
function explained(
  error: unknown,
  emails: readonly string[],
  list: (names: readonly string[]) => string,
  t: TFunction<"groups">,
): unknown {
  if (!(error instanceof FanfareError)) return error;
  const {
    issues = [],
    limit,
    max,
  } = (error.data ?? {}) as {
    issues?: { path: string }[];
    limit?: string;
    max?: number;
  };
  if (error.type === "VALIDATION_FAILED") {
    const wrong = issues.flatMap(({ path }) => emails[Number(/^emails\.(\d+)$/.exec(path)?.[1])] ?? []);
    return wrong.length === 0 ? error : new ErrorWithText(t("email.wrong", { addresses: list(wrong) }));
  }
  const known = LIMIT_TEXTS.find((name) => error.type === "LIMIT_REACHED" && name === limit);
  return known === undefined ? error : new ErrorWithText(t(`email.limit.${known}`, { max }));
}
