import { useState } from "react";
import { useTranslation } from "react-i18next";
import { LIMITS } from "@fanfare/contract/limits";
import { Button } from "../../ui/button.tsx";
import { TextField } from "../../ui/text-field.tsx";

interface CodeFieldProps {
  value: string;
  onChange: (value: string) => void;
  error: string | undefined;
  autoFocus?: boolean;
}

/** Six digits of the authenticator app, or a recovery code for who does not have it at hand. */
export function CodeField({ value, onChange, error, autoFocus = true }: CodeFieldProps) {
  const { t } = useTranslation("session");
  const [byRecovery, setByRecovery] = useState(false);
  return (
    <div className="grid justify-items-start gap-2 *:first:w-full">
      <TextField
        key={String(byRecovery)}
        label={byRecovery ? t("code.recovery") : t("code.app")}
        hint={byRecovery ? t("code.recoveryHint") : t("code.appHint")}
        name="code"
        required
        autoFocus={autoFocus}
        autoComplete="one-time-code"
        autoCapitalize="none"
        spellCheck={false}
        inputMode={byRecovery ? "text" : "numeric"}
        maxLength={LIMITS.codeMaxChars}
        className="text-lg tracking-widest tabular-nums"
        value={value}
        onChange={onChange}
        error={error}
      />
      <Button
        variant="ghost"
        size="sm"
        className="-ml-2.5"
        onClick={() => {
          onChange("");
          setByRecovery(!byRecovery);
        }}
      >
        {byRecovery ? t("code.useApp") : t("code.useRecovery")}
      </Button>
    </div>
  );
}
