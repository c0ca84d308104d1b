declare module "virtual:pdf-files" {
  /** The address of the folder, from build/pdf-files.ts. */
  const files: string;
  export default files;
}
