import type { Branding } from "@fanfare/contract";
import { accentShades, type AccentShades } from "@fanfare/contract/accent";
import { LIMITS } from "@fanfare/contract/limits";
import { useTranslation } from "react-i18next";
import { useCall } from "../data/call.ts";
import { useServerCache } from "../data/data-context.ts";
import { setBranding, useBranding } from "../session/branding.ts";
import { PictureInput } from "../shared/file-input.tsx";
import { useAction } from "../shared/use-action.ts";
import { Button } from "../ui/button.tsx";
import { ErrorNote } from "../ui/feedback.tsx";
import { Field, Form, TextArea, TextField, useForm } from "../ui/form.tsx";

const DEFAULT_COLOR = "#c8401b";

export function AdminBranding() {
  const { t } = useTranslation("admin");
  const branding = useBranding();
  return (
    <>
      <p className="text-muted">{t("branding.hint")}</p>
      <LogoForm {...branding} />
      <LookForm {...branding} />
    </>
  );
}

/**
 * Other pages of this browser follow; other browsers do when they load the page.
 * @param changed by this form only: the results of both forms can come in any order
 */
function show(changed: Partial<Branding>): void {
  const branding = { ...useBranding.getState(), ...changed };
  const { accentColor } = branding;
  setBranding({ ...branding, accentShades: accentColor === null ? null : accentShades(accentColor) });
}

function LogoForm({ logoUrl }: Branding) {
  const { t } = useTranslation("admin");
  const { client } = useServerCache();
  const call = useCall();
  const { busy, error, run } = useAction();
  const showLogo = ({ branding }: { branding: Branding }) => show({ logoUrl: branding.logoUrl });
  const use = (file: File) =>
    run(async () => {
      const { fileId } = await client.uploadPicture(file);
      showLogo(await call("admin.setLogo", { fileId }));
    });
  return (
    <section aria-label={t("branding.logo")} className="grid gap-3">
      <div className="flex items-center gap-5">
        <img src={logoUrl ?? "/favicon.svg"} alt="" className="size-16 shrink-0 rounded-md" />
        <div className="grid min-w-0 justify-items-start gap-2">
          <p className="text-sm text-muted">{t("branding.logoHint")}</p>
          <div className="flex flex-wrap gap-2">
            <PictureInput disabled={busy} onChoose={(file) => void use(file)}>
              {logoUrl === null ? t("branding.addLogo") : t("branding.changeLogo")}
            </PictureInput>
            {logoUrl !== null && (
              <Button
                size="sm"
                variant="danger-ghost"
                busy={busy}
                onClick={() => void run(async () => showLogo(await call("admin.removeLogo", {})))}
              >
                {t("branding.removeLogo")}
              </Button>
            )}
          </div>
        </div>
      </div>
      <ErrorNote text={error} />
    </section>
  );
}

function LookForm({ name, accentColor, landingText }: Branding) {
  const { t } = useTranslation("admin");
  const call = useCall();
  const form = useForm<Pick<Branding, "name" | "accentColor" | "landingText">>({
    initial: { name, accentColor, landingText },
    submit: async (changes) => {
      const { name, accentColor, landingText } = (await call("admin.setBranding", changes)).branding;
      show({ name, accentColor, landingText });
    },
    saved: t("branding.saved"),
  });
  const { values, set } = form;
  return (
    <Form form={form} action={t("branding.save")} disabled={!form.changed || values.name.trim() === ""}>
      <TextField
        label={t("branding.name")}
        required
        maxLength={LIMITS.instanceNameMaxChars}
        {...form.field("name")}
      />
      <TextArea
        label={t("branding.landingText")}
        hint={t("branding.landingTextHint", { left: LIMITS.landingTextMaxChars - values.landingText.length })}
        maxLength={LIMITS.landingTextMaxChars}
        {...form.field("landingText")}
      />
      <Field
        label={t("branding.accentColor")}
        hint={t("branding.accentColorHint")}
        error={form.field("accentColor").error}
      >
        {(ids) => (
          <div className="flex flex-wrap items-center gap-3">
            <input
              type="color"
              className="h-control w-16 cursor-pointer rounded-md border border-line-strong bg-field p-1"
              value={values.accentColor ?? DEFAULT_COLOR}
              onChange={({ target }) => set("accentColor", target.value)}
              {...ids}
            />
            {values.accentColor !== null && (
              <Button variant="ghost" size="sm" onClick={() => set("accentColor", null)}>
                {t("branding.defaultColor")}
              </Button>
            )}
          </div>
        )}
      </Field>
      {values.accentColor !== null && <Previews color={values.accentColor} />}
    </Form>
  );
}

const BACKGROUNDS = { light: "#ffffff", dark: "#1c1b1a" };

/** The color in both themes, and how it was changed to be readable. */
function Previews({ color }: { color: string }) {
  const { t } = useTranslation("admin");
  const shades = accentShades(color);
  const themes = [
    { theme: t("session:theme.light"), background: BACKGROUNDS.light, shade: shades.light },
    { theme: t("session:theme.dark"), background: BACKGROUNDS.dark, shade: shades.dark },
  ];
  const adjusted = themes.filter(({ shade }) => shade.accent !== color);
  return (
    <div className="grid gap-2">
      <div className="grid grid-cols-2 gap-3">
        {themes.map((preview) => (
          <Preview key={preview.theme} {...preview} />
        ))}
      </div>
      <ul aria-live="polite" className="text-sm text-muted">
        {adjusted.map(({ theme, shade }) => (
          <li key={theme}>{t("branding.adjusted", { theme, color, shade: shade.accent })}</li>
        ))}
      </ul>
    </div>
  );
}

function Preview({ theme, background, shade }: { theme: string; background: string; shade: AccentShades }) {
  const { t } = useTranslation("admin");
  return (
    <div
      role="img"
      aria-label={theme}
      className="flex flex-wrap items-center gap-4 rounded-md border border-line p-4"
      style={{ background }}
    >
      <span
        className="rounded-md px-3.5 py-1.5 font-medium"
        style={{ background: shade.accent, color: shade["on-accent"] }}
      >
        {t("branding.button")}
      </span>
      <span className="underline" style={{ color: shade["accent-text"] }}>
        {t("branding.link")}
      </span>
    </div>
  );
}
