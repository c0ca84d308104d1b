import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { PictureInput, useObjectUrl } from "../shared/picture-input.tsx";
import { Avatar } from "../ui/avatar.tsx";

interface GroupIconFieldProps {
  name: string;
  id: string;
  /** As it is now. */
  iconUrl: string | null;
  /** What was chosen and is not uploaded yet. */
  file: File | null;
  onChoose: (file: File) => void;
  disabled?: boolean;
  /** Beside the button, such as one that removes the picture. */
  more?: ReactNode;
}

/** Shows the picture of a group and takes another one. The server makes it square: nothing has to be cut. */
export function GroupIconField({ name, id, iconUrl, file, onChoose, disabled, more }: GroupIconFieldProps) {
  const { t } = useTranslation("groups");
  const preview = useObjectUrl(file);
  return (
    <div className="flex items-center gap-4">
      <Avatar name={name === "" ? "?" : name} id={id} src={preview ?? iconUrl} size={72} shape="square" />
      <div className="grid justify-items-start gap-1.5">
        <div className="flex flex-wrap gap-2">
          <PictureInput onChoose={onChoose} disabled={disabled}>
            {iconUrl === null && file === null ? t("icon.add") : t("icon.change")}
          </PictureInput>
          {more}
        </div>
        <p className="text-sm text-muted">{t("icon.hint")}</p>
      </div>
    </div>
  );
}
