import { describe, expect, test } from "vitest";
import { usesOf } from "./texts-check.ts";

describe("usesOf", () => {
  const uses = (code: string) =>
    usesOf("file.tsx", code).map(
      ({ namespace, key, isPrefix }) => `${namespace}:${key}${isPrefix ? "*" : ""}`,
    );

  test("finds literal keys, prefixes, other namespaces and tables", () => {
    const code = `const { t } = useTranslation("messages");
      t("send"); t(\`state.\${state}\`, { count }); t("ui:close"); <Trans t={t} i18nKey="hint" />;
      const rows = [{ textKey: "row" }]; expect("not"); format("neither");`;
    expect(uses(code)).toEqual([
      "messages:send",
      "messages:state.*",
      "ui:close",
      "messages:hint",
      "messages:row",
    ]);
  });

  test("requires exactly one namespace per file", () => {
    expect(() => uses(`useTranslation("a"); useTranslation("b");`)).toThrow("several namespaces");
    expect(() => uses(`t("send")`)).toThrow("no namespace");
    expect(uses(`i18next.t("shared:error.UNKNOWN")`)).toEqual(["shared:error.UNKNOWN"]);
  });
});
