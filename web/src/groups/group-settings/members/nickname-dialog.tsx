import type { Member, User } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useCall } from "../../../data/call.ts";
import { useServerCache } from "../../../data/data-context.ts";
import { useMe } from "../../../data/me.ts";
import { useAvatarUrl, useNickname } from "../../../data/members.ts";
import { userName } from "../../../people/members/user-name.tsx";
import { PictureInput, useObjectUrl } from "../../../shared/file-input.tsx";
import { Button } from "../../../ui/button.tsx";
import { FormDialog } from "../../../ui/form-dialog.tsx";
import { Avatar } from "../../../ui/display.tsx";
import { ErrorNote } from "../../../ui/feedback.tsx";
import { TextField, useForm } from "../../../ui/form.tsx";

interface NicknameDialogProps {
  member: Member;
  user: User | undefined;
  onClose: () => void;
}

/** The name and the picture of the user or of another member in the group. Others' pictures can only be removed. */
export function NicknameDialog({ member: { groupId, userId }, user, onClose }: NicknameDialogProps) {
  const { t } = useTranslation("group-settings");
  const call = useCall();
  const { client } = useServerCache();
  const isOwn = useMe().id === userId;
  const ownName = userName(user);
  const nickname = useNickname(groupId, userId) ?? "";
  /** Null: removed; undefined: unchanged. */
  const [picture, setPicture] = useState<File | null>();
  const form = useForm({
    initial: { nickname },
    async submit({ nickname: written }) {
      const change = { groupId, nickname: written.trim() === "" ? null : written };
      if (isOwn) {
        const avatarFileId = picture && (await client.uploadPicture(picture)).fileId;
        await call("group.setOwnNickname", { ...change, avatarFileId });
      } else {
        await call("group.setNickname", {
          ...change,
          userId,
          ...(picture === null && { avatarFileId: null }),
        });
      }
      onClose();
    },
  });
  const isTooLarge = picture instanceof File && picture.size > LIMITS.pictureMaxBytes;
  return (
    <FormDialog
      onClose={onClose}
      size="sm"
      title={t("members.nicknameOf", { name: ownName })}
      form={form}
      action={t("common:save")}
      disabled={isTooLarge}
    >
      <PictureField
        groupId={groupId}
        userId={userId}
        user={user}
        picture={picture}
        canChoose={isOwn}
        onChange={setPicture}
      />
      <ErrorNote text={isTooLarge ? t("shared:error.FILE_TOO_LARGE") : null} />
      <TextField
        label={t("members.nicknameField")}
        hint={t("members.nicknameHint")}
        placeholder={ownName}
        maxLength={LIMITS.nicknameMaxChars}
        {...form.field("nickname")}
      />
    </FormDialog>
  );
}

interface PictureFieldProps {
  groupId: string;
  userId: string;
  user: User | undefined;
  picture: File | null | undefined;
  canChoose: boolean;
  onChange: (picture: File | null) => void;
}

/** Without a picture in the group, shows the user's own one. */
function PictureField({ groupId, userId, user, picture, canChoose, onChange }: PictureFieldProps) {
  const { t } = useTranslation("group-settings");
  const own = user?.avatarUrl ?? null;
  const current = useAvatarUrl(user, groupId);
  const preview = useObjectUrl(picture ?? null);
  const hasPicture = picture === undefined ? current !== own : picture !== null;
  return (
    <div className="flex items-center gap-4">
      <Avatar
        name={userName(user)}
        id={userId}
        src={preview ?? (picture === null ? own : current)}
        size={72}
      />
      <div className="flex flex-wrap gap-2">
        {canChoose && (
          <PictureInput onChoose={onChange}>
            {hasPicture ? t("common:changePicture") : t("common:addPicture")}
          </PictureInput>
        )}
        {hasPicture && (
          <Button size="sm" variant="danger-ghost" onClick={() => onChange(null)}>
            {t("members.removePicture")}
          </Button>
        )}
      </div>
    </div>
  );
}
