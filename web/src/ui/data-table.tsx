type Column<T> = readonly [name: string, textOf: (row: T) => string];

interface DataTableProps<T> {
  label: string;
  /** The first one has the names of the rows. */
  columns: readonly Column<T>[];
  rows: readonly T[];
  keyOf: (row: T) => string;
}

/** Numbers with column headings that stay in view. */
export function DataTable<T>({ label, columns, rows, keyOf }: DataTableProps<T>) {
  return (
    // Scrollable, so it must be focusable by keyboard.
    <div
      role="region"
      aria-label={label}
      tabIndex={0}
      className="max-h-[70dvh] overflow-auto rounded-lg border border-line"
    >
      <table className="w-full text-end text-sm tabular-nums">
        <thead className="sticky top-0 bg-raised">
          <tr className="border-b border-line">
            {columns.map(([name]) => (
              <th key={name} scope="col" className="px-3 py-2 font-medium first:text-start">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)} className="border-b border-line whitespace-nowrap last:border-0">
              {columns.map(([name, textOf], index) =>
                index === 0 ? (
                  <th key={name} scope="row" className="px-3 py-1.5 text-start font-normal text-muted">
                    {textOf(row)}
                  </th>
                ) : (
                  <td key={name} className="px-3 py-1.5">
                    {textOf(row)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
