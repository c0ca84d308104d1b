export { VARIABLES } from "../secret-files.ts";
export { envExample } from "./env-example.ts";
export { configurationPage } from "./page.ts";
