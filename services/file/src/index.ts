export { createFileService } from "./file.service.ts";
export { createImportedFiles } from "./imported-files.ts";
