export { createImportedAccounts, type ImportedAccounts, type ImportedPerson } from "./imported-accounts.ts";
export { createUserService } from "./user.service.ts";
