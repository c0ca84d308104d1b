import { Eye, EyeOff } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { IconButton } from "../../ui/icon-button.tsx";
import { TextField, type TextFieldProps } from "../../ui/text-field.tsx";

/** A password, which can be looked at while it is typed. */
export function PasswordField(props: Omit<TextFieldProps, "type" | "after">) {
  const { t } = useTranslation("session");
  const [isShown, setShown] = useState(false);
  return (
    <TextField
      required
      maxLength={128}
      autoCapitalize="none"
      spellCheck={false}
      {...props}
      className="pr-[calc(var(--spacing-control)+0.25rem)]"
      type={isShown ? "text" : "password"}
      after={
        <IconButton
          icon={isShown ? EyeOff : Eye}
          label={isShown ? t("hidePassword") : t("showPassword")}
          onClick={() => setShown(!isShown)}
          tooltipSide="left"
          className="-ml-[calc(var(--spacing-control)+0.5rem)]"
        />
      }
    />
  );
}
