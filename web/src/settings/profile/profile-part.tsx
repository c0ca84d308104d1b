import { LIMITS } from "@fanfare/contract/limits";
import { useTranslation } from "react-i18next";
import { useState } from "react";
import { useCall } from "../../data/call.ts";
import { useMe } from "../../data/me.ts";
import { type OwnStatus, useOwnStatus } from "../../data/presence.ts";
import { useAction, useSave } from "../../shared/use-action.ts";
import { ErrorNote } from "../../ui/feedback.tsx";
import { Form, TextArea, TextField, useForm } from "../../ui/form.tsx";
import { RadioGroup } from "../../ui/choices.tsx";
import { Section } from "../../ui/settings-layout.tsx";
import { useServerCache } from "../../data/data-context.ts";
import { PictureInput, useObjectUrl } from "../../shared/file-input.tsx";
import { Avatar } from "../../ui/display.tsx";
import { Button } from "../../ui/button.tsx";

const STATUSES: readonly OwnStatus[] = ["online", "idle", "doNotDisturb", "invisible"];

export function ProfilePart() {
  const { t } = useTranslation("settings");
  const me = useMe();
  const call = useCall();
  const form = useForm({
    initial: { nickname: me.nickname, bio: me.bio },
    submit: (values) => call("user.updateProfile", values),
    saved: t("common:saved"),
  });
  return (
    <>
      <AvatarForm />
      <Section title={t("profile.about")}>
        <Form
          form={form}
          action={t("common:save")}
          disabled={!form.changed || form.values.nickname.trim() === ""}
        >
          <TextField
            label={t("profile.nickname")}
            required
            maxLength={LIMITS.nicknameMaxChars}
            autoComplete="nickname"
            {...form.field("nickname")}
          />
          <TextArea
            label={t("profile.bio")}
            hint={t("profile.bioHint", { left: LIMITS.bioMaxChars - form.values.bio.length })}
            maxLength={LIMITS.bioMaxChars}
            {...form.field("bio")}
          />
        </Form>
      </Section>
      <StatusChoice />
    </>
  );
}

function StatusChoice() {
  const { t } = useTranslation("settings");
  const { data: status = "online" } = useOwnStatus();
  const call = useCall();
  const { error, save } = useSave();
  return (
    <Section title={t("profile.status")}>
      <RadioGroup
        label={t("profile.status")}
        hideLabel
        value={status}
        onChange={(next) => save(() => call("presence.setStatus", { status: next }))}
        options={STATUSES.map((value) => ({
          value,
          label: t(`members:status.${value}`),
          hint: t(`profile.statusHint.${value}`),
        }))}
      />
      <ErrorNote text={error} />
    </Section>
  );
}

const AVATAR_PX = 96;

/** Shows a preview before the picture is uploaded. */
function AvatarForm() {
  const { t } = useTranslation("settings");
  const me = useMe();
  const { client } = useServerCache();
  const call = useCall();
  const [chosen, setChosen] = useState<File | null>(null);
  const preview = useObjectUrl(chosen);
  const { busy, error, run } = useAction();
  const use = (file: File) =>
    run(async () => {
      const { fileId } = await client.uploadPicture(file);
      await call("user.setAvatar", { fileId });
      setChosen(null);
    });
  const isTooLarge = chosen !== null && chosen.size > LIMITS.pictureMaxBytes;
  return (
    <section aria-label={t("profile.picture")} className="grid gap-3">
      <div className="flex items-center gap-5">
        <Avatar name={me.nickname} id={me.id} src={preview ?? me.avatarUrl} size={AVATAR_PX} />
        <div className="grid min-w-0 justify-items-start gap-2">
          <div className="max-w-full">
            <p className="truncate text-lg leading-tight font-semibold">{me.nickname}</p>
            <p className="truncate text-sm text-muted">
              {me.username === null ? t("members:guest") : `@${me.username}`}
            </p>
          </div>
          {chosen === null ? (
            <div className="flex flex-wrap gap-2">
              <PictureInput onChoose={setChosen}>
                {me.avatarUrl === null ? t("common:addPicture") : t("common:changePicture")}
              </PictureInput>
              {me.avatarUrl !== null && (
                <Button
                  size="sm"
                  variant="danger-ghost"
                  busy={busy}
                  onClick={() => void run(() => call("user.removeAvatar", {}))}
                >
                  {t("common:remove")}
                </Button>
              )}
            </div>
          ) : (
            <div className="flex flex-wrap gap-2">
              <Button
                size="sm"
                variant="primary"
                busy={busy}
                disabled={isTooLarge}
                onClick={() => void use(chosen)}
              >
                {t("profile.usePicture")}
              </Button>
              <Button size="sm" variant="ghost" disabled={busy} onClick={() => setChosen(null)}>
                {t("ui:cancel")}
              </Button>
            </div>
          )}
        </div>
      </div>
      <ErrorNote text={isTooLarge ? t("shared:error.FILE_TOO_LARGE") : error} />
    </section>
  );
}
