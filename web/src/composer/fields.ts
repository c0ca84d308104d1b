/* The fields for messages, in one file to load. */
export { ComposerBox } from "./composer-box.tsx";
export { insertInComposer } from "./insert.ts";
export { EditForm, TextForm } from "./edit-form.tsx";
