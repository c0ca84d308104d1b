import { Bell, Pin, Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { Button, type ButtonVariant } from "../button.tsx";
import { IconButton } from "../icon-button.tsx";
import { Kbd } from "../kbd.tsx";
import { Part } from "./part.tsx";

const VARIANTS: ButtonVariant[] = ["primary", "secondary", "ghost", "danger", "danger-ghost"];

export function Buttons() {
  const [pressed, setPressed] = useState(true);
  return (
    <Part title="Buttons">
      {(["md", "sm"] as const).map((size) => (
        <div key={size} className="flex flex-wrap items-center gap-2">
          {VARIANTS.map((variant) => (
            <Button key={variant} variant={variant} size={size}>
              {variant}
            </Button>
          ))}
          <Button variant="primary" size={size} icon={<Plus size={16} aria-hidden />}>
            With an icon
          </Button>
          <Button size={size} busy>
            Busy
          </Button>
          <Button size={size} disabled>
            Disabled
          </Button>
        </div>
      ))}
      <div className="flex flex-wrap items-center gap-2">
        <IconButton icon={Bell} label="Notifications" />
        <IconButton icon={Pin} label="Pins" pressed={pressed} onClick={() => setPressed(!pressed)} />
        <IconButton icon={Trash2} label="Delete" variant="danger" size="sm" />
        <Kbd keys={["Ctrl", "K"]} />
      </div>
    </Part>
  );
}
