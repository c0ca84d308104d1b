import { useTranslation } from "react-i18next";
import { Checkbox } from "../../ui/checkbox.tsx";
import { Form } from "../../ui/form.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { useForm } from "../../ui/use-form.ts";
import { logIn } from "./session-store.ts";

/** Name and password, to log in or to make an account. */
export function AccountForm({ way }: { way: "register" | "login" }) {
  const { t } = useTranslation("session");
  const isNew = way === "register";
  const form = useForm({
    initial: { username: "", password: "", stay: true },
    submit: ({ stay, ...values }) =>
      logIn((client) => (isNew ? client.register(values) : client.login(values)), { stay }),
    fieldOfError: { USERNAME_TAKEN: "username" },
  });
  return (
    <Form form={form} action={isNew ? t("register") : t("logIn")} wide>
      <TextField
        label={isNew ? t("username") : t("usernameOrEmail")}
        name="username"
        required
        autoFocus
        autoCapitalize="none"
        autoComplete="username"
        {...form.field("username")}
      />
      <TextField
        label={t("password")}
        type="password"
        name="password"
        required
        hint={isNew ? t("passwordHint") : undefined}
        minLength={isNew ? 8 : undefined}
        maxLength={128}
        autoComplete={isNew ? "new-password" : "current-password"}
        {...form.field("password")}
      />
      <Checkbox
        label={t("stayLoggedIn")}
        hint={form.values.stay ? undefined : t("untilTabCloses")}
        checked={form.values.stay}
        onChange={(stay) => form.set("stay", stay)}
      />
    </Form>
  );
}
