import { Ellipsis, Pencil, Trash2 } from "lucide-react";
import { useState } from "react";
import { Button } from "../button.tsx";
import { ConfirmDialog } from "../confirm-dialog.tsx";
import { ContextMenu } from "../context-menu.tsx";
import { Dialog } from "../dialog.tsx";
import { Drawer } from "../drawer.tsx";
import { IconButton } from "../icon-button.tsx";
import { Menu } from "../menu.tsx";
import type { MenuItem } from "../menu-item.ts";
import { Popover } from "../popover.tsx";
import { Tabs } from "../tabs.tsx";
import { TextField } from "../text-field.tsx";
import { showToast } from "../toast.tsx";
import { Part } from "./part.tsx";

const ITEMS: MenuItem[] = [
  { label: "Edit", icon: Pencil, shortcut: "↑", onSelect: () => showToast({ text: "Edit" }) },
  { label: "Checked", checked: true, onSelect: () => showToast({ text: "Checked" }) },
  { label: "Disabled", disabled: true, onSelect: () => undefined },
  "separator",
  { label: "Delete", icon: Trash2, danger: true, onSelect: () => showToast({ text: "Delete" }) },
];

export function Overlays() {
  const [open, setOpen] = useState<"dialog" | "confirm" | "drawer" | null>(null);
  const [tab, setTab] = useState("one");
  const close = () => setOpen(null);
  return (
    <Part title="In front and beside">
      <div className="flex flex-wrap items-center gap-2">
        <Button onClick={() => setOpen("dialog")}>Dialog</Button>
        <Button onClick={() => setOpen("confirm")}>Confirm</Button>
        <Button onClick={() => setOpen("drawer")}>Drawer</Button>
        <Menu trigger={<IconButton icon={Ellipsis} label="More" />} items={ITEMS} align="start" />
        <Popover trigger={<Button>Popover</Button>} label="A card">
          {(done) => (
            <div className="grid gap-3">
              <p>Something of its own.</p>
              <Button onClick={done}>Done</Button>
            </div>
          )}
        </Popover>
        <ContextMenu items={ITEMS}>
          <div className="rounded-md border border-dashed border-line-strong px-3 py-2">Right click here</div>
        </ContextMenu>
        <Button onClick={() => showToast({ text: "It is saved.", tone: "good" })}>Toast</Button>
        <Button
          onClick={() =>
            showToast({
              text: "It could not be deleted.",
              tone: "danger",
              action: { label: "Try again", onClick: () => undefined },
            })
          }
        >
          Toast with an action
        </Button>
      </div>
      <Tabs
        label="Views"
        value={tab}
        onChange={setTab}
        tabs={[
          { value: "one", label: "One", content: "The first view." },
          { value: "two", label: "Two", content: "The second view." },
        ]}
      />
      <Dialog
        open={open === "dialog"}
        onClose={close}
        title="New channel"
        description="A place for one subject."
        footer={
          <>
            <Button onClick={close}>Cancel</Button>
            <Button variant="primary" onClick={close}>
              Create
            </Button>
          </>
        }
      >
        <TextField label="Name" value="rockets" />
      </Dialog>
      <ConfirmDialog
        open={open === "confirm"}
        onClose={close}
        title="Delete #rockets?"
        action="Delete channel"
        danger
        onConfirm={() => Promise.reject(new Error("This always fails."))}
      >
        All its messages are deleted. This cannot be undone.
      </ConfirmDialog>
      <Drawer open={open === "drawer"} onClose={close} label="Lists">
        <p className="p-6">Lists of a phone</p>
      </Drawer>
    </Part>
  );
}
