import { Toolbar as Base } from "@base-ui/react/toolbar";
import { Fragment } from "react";
import { IconButton, type IconButtonProps } from "./button.tsx";

interface ToolbarProps {
  label: string;
  groups: readonly (readonly (IconButtonProps & { id: string })[])[];
}

/** Buttons with one tab stop: the arrow keys move between them. */
export function Toolbar({ label, groups }: ToolbarProps) {
  return (
    <Base.Root
      aria-label={label}
      className="base-ui-disable-scrollbar flex items-center gap-0.5 overflow-x-auto px-1 pt-1"
    >
      {groups.map((buttons, index) => (
        <Fragment key={buttons[0]?.id}>
          {index > 0 && <Base.Separator className="mx-1 h-4 w-px shrink-0 bg-line" />}
          {buttons.map(({ id, ...button }) => (
            <Base.Button key={id} render={<IconButton {...button} />} />
          ))}
        </Fragment>
      ))}
    </Base.Root>
  );
}
