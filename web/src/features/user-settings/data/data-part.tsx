import { DeleteAccount } from "./delete-account.tsx";
import { ExportData } from "./export-data.tsx";

/** To take everything along, and to go. */
export function DataPart() {
  return (
    <>
      <ExportData />
      <DeleteAccount />
    </>
  );
}
