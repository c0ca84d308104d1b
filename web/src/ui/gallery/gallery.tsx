import { useState } from "react";
import { Select } from "../select.tsx";
import { Buttons } from "./buttons.tsx";
import { Fields } from "./fields.tsx";
import { Overlays } from "./overlays.tsx";
import { Shown } from "./shown.tsx";

const THEMES = [
  { value: "light", label: "Light" },
  { value: "dark", label: "Dark" },
] as const;
const DENSITIES = [
  { value: "comfortable", label: "Comfortable" },
  { value: "compact", label: "Compact" },
] as const;

/** All primitives on one page, for whoever works on them; only the development server has it. */
export function Gallery() {
  const { dataset } = document.documentElement;
  const [theme, setTheme] = useState<"light" | "dark">(dataset["theme"] === "dark" ? "dark" : "light");
  const [density, setDensity] = useState<"comfortable" | "compact">("comfortable");
  return (
    <main className="mx-auto grid max-w-5xl gap-10 p-6">
      <header className="flex flex-wrap items-end gap-4">
        <h1 className="flex-1 text-2xl font-bold">Primitives</h1>
        <Select
          label="Theme"
          value={theme}
          options={THEMES}
          onChange={(next) => {
            setTheme(next);
            document.documentElement.dataset["theme"] = next;
          }}
        />
        <Select
          label="Density"
          value={density}
          options={DENSITIES}
          onChange={(next) => {
            setDensity(next);
            document.documentElement.dataset["density"] = next;
          }}
        />
      </header>
      <Buttons />
      <Fields />
      <Overlays />
      <Shown />
    </main>
  );
}
