import { Radio } from "@base-ui/react/radio";
import { RadioGroup } from "@base-ui/react/radio-group";

interface SegmentsProps<V extends string> {
  label: string;
  value: V;
  onChange: (value: V) => void;
  options: readonly { value: V; label: string }[];
}

/** A choice between two or three short options. */
export function Segments<V extends string>({ label, value, onChange, options }: SegmentsProps<V>) {
  return (
    <RadioGroup
      aria-label={label}
      value={value}
      onValueChange={onChange}
      className="flex gap-0.5 rounded-md bg-code p-0.5"
    >
      {options.map((option) => (
        <Radio.Root
          key={option.value}
          value={option.value}
          className="flex min-h-7 min-w-0 flex-1 cursor-pointer items-center justify-center rounded-sm px-2 text-xs font-medium text-muted hover:text-text data-checked:bg-raised data-checked:text-text data-checked:ring-1 data-checked:ring-line touch:min-h-9"
        >
          <span className="truncate">{option.label}</span>
        </Radio.Root>
      ))}
    </RadioGroup>
  );
}
