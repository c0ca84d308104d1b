import { LIMITS } from "@fanfare/contract/limits";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useCall } from "../../../data/call.ts";
import { useServerCache } from "../../../data/data-context.ts";
import { uploadPicture } from "../../../data/files.ts";
import { useMe } from "../../../data/me.ts";
import { PictureInput, useObjectUrl } from "../../../shared/picture-input.tsx";
import { useAction } from "../../../shared/use-action.ts";
import { Avatar } from "../../../ui/avatar.tsx";
import { Button } from "../../../ui/button.tsx";
import { ErrorNote } from "../../../ui/error-note.tsx";

const AVATAR_PX = 96;

/** The own picture: one is looked at before it is shown to others, and can be taken away. */
export function AvatarForm() {
  const { t } = useTranslation("user-settings");
  const me = useMe();
  const cache = useServerCache();
  const call = useCall();
  const [chosen, setChosen] = useState<File | null>(null);
  const preview = useObjectUrl(chosen);
  const { busy, error, run } = useAction();
  const use = (file: File) =>
    run(async () => {
      const { fileId } = await uploadPicture(cache, file);
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
              {me.username === null ? t("profile.guest") : `@${me.username}`}
            </p>
          </div>
          {chosen === null ? (
            <div className="flex flex-wrap gap-2">
              <PictureInput onChoose={setChosen}>
                {me.avatarUrl === null ? t("profile.addPicture") : t("profile.changePicture")}
              </PictureInput>
              {me.avatarUrl !== null && (
                <Button
                  size="sm"
                  variant="danger-ghost"
                  busy={busy}
                  onClick={() => void run(() => call("user.removeAvatar", {}))}
                >
                  {t("profile.removePicture")}
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
