/** Keyboard keys, such as `["Ctrl", "K"]`. */
export function Kbd({ keys }: { keys: readonly string[] }) {
  return (
    <span className="inline-flex gap-1">
      {keys.map((key) => (
        <kbd
          key={key}
          className="min-w-6 rounded-sm border border-line bg-sidebar px-1.5 py-0.5 text-center font-sans text-xs text-muted"
        >
          {key}
        </kbd>
      ))}
    </span>
  );
}
