import { useState } from "react";
import { Button } from "../button.tsx";
import { Checkbox } from "../checkbox.tsx";
import { Form } from "../form.tsx";
import { RadioGroup } from "../radio-group.tsx";
import { Select } from "../select.tsx";
import { Switch } from "../switch.tsx";
import { TextArea } from "../text-area.tsx";
import { TextField } from "../text-field.tsx";
import { useForm } from "../use-form.ts";
import { Part } from "./part.tsx";

const ROLES = [
  { value: "admin", label: "Admin", hint: "May do everything" },
  { value: "member", label: "Member", hint: "May read and write" },
] as const;

export function Fields() {
  const [checked, setChecked] = useState(true);
  const [role, setRole] = useState<"admin" | "member">("member");
  const form = useForm({
    initial: { name: "Rocket builders", about: "" },
    submit: () => Promise.reject(new Error("This always fails.")),
  });
  return (
    <Part title="To fill in">
      <div className="grid gap-6 md:grid-cols-2">
        <Form form={form} action="Save" more={<Button onClick={() => form.reset()}>Reset</Button>}>
          <TextField label="Name" hint="What everybody sees." {...form.field("name")} />
          <TextField label="Username" value="a" error="Must be 2 to 32 characters." />
          <TextArea label="About" placeholder="What it is about" {...form.field("about")} />
        </Form>
        <div className="grid content-start gap-4">
          <Select label="Role" value={role} onChange={setRole} options={ROLES} />
          <RadioGroup label="Role" value={role} onChange={setRole} options={ROLES} />
          <RadioGroup label="Beside each other" value={role} onChange={setRole} options={ROLES} inline />
          <Checkbox
            label="Checkbox"
            hint="It counts with the form."
            checked={checked}
            onChange={setChecked}
          />
          <Checkbox label="Some of it" checked={false} indeterminate onChange={setChecked} />
          <Switch label="Switch" hint="It takes effect at once." checked={checked} onChange={setChecked} />
          <Switch label="Disabled" checked={false} disabled onChange={setChecked} />
        </div>
      </div>
    </Part>
  );
}
