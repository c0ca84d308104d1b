import { ImagePlus } from "lucide-react";
import { type ReactNode, useEffect, useId, useMemo } from "react";
import { useTranslation } from "react-i18next";
import { Avatar } from "../../ui/avatar.tsx";
import { buttonClass } from "../../ui/button.tsx";
import { cx } from "../../ui/cx.ts";

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

const PICTURES = "image/png,image/jpeg,image/webp,image/gif,image/avif";

/** Shows the picture of a group and takes another one. The server makes it square: nothing has to be cut. */
export function GroupIconField({ name, id, iconUrl, file, onChoose, disabled, more }: GroupIconFieldProps) {
  const { t } = useTranslation("groups");
  const inputId = useId();
  const preview = useObjectUrl(file);
  return (
    <div className="flex items-center gap-4">
      <Avatar name={name === "" ? "?" : name} id={id} src={preview ?? iconUrl} size={72} shape="square" />
      <div className="grid justify-items-start gap-1.5">
        <div className="flex flex-wrap gap-2">
          <input
            id={inputId}
            type="file"
            accept={PICTURES}
            disabled={disabled}
            className="peer sr-only"
            onChange={({ target }) => {
              const chosen = target.files?.[0];
              if (chosen !== undefined) onChoose(chosen);
              // The same file can be chosen again after an error.
              target.value = "";
            }}
          />
          <label
            htmlFor={inputId}
            className={cx(
              buttonClass({ size: "sm" }),
              "cursor-pointer peer-focus-visible:outline-2 peer-focus-visible:outline-accent peer-disabled:opacity-50",
            )}
          >
            <ImagePlus size={16} aria-hidden />
            {iconUrl === null && file === null ? t("icon.add") : t("icon.change")}
          </label>
          {more}
        </div>
        <p className="text-sm text-muted">{t("icon.hint")}</p>
      </div>
    </div>
  );
}

function useObjectUrl(file: File | null): string | null {
  const url = useMemo(() => (file === null ? null : URL.createObjectURL(file)), [file]);
  useEffect(() => (url === null ? undefined : () => URL.revokeObjectURL(url)), [url]);
  return url;
}
