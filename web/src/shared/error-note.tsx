export function ErrorNote({ text }: { text: string | null }) {
  return (
    <p className="error-note" role="alert" hidden={text === null}>
      {text}
    </p>
  );
}
