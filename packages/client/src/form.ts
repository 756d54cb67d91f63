/** The parts of a `multipart/form-data` body before (`head`) and after (`tail`) the content of the file. */
export interface Form {
  readonly contentType: string;
  readonly head: string;
  readonly tail: string;
}

type FormValue = string | number | boolean | null | undefined;
export type FormFields = Readonly<Record<string, FormValue | readonly FormValue[]>>;

const LINE = '\r\n';

/** Null and absent fields are omitted; a list becomes one part for each entry. */
export function encodeForm(
  fields: FormFields,
  file: { readonly name: string; readonly type: string },
  boundary: string,
): Form {
  const delimiter = `--${boundary}${LINE}`;
  const parts = Object.entries(fields).flatMap(([name, value]) =>
    [value].flat().map((entry) => {
      if (entry === undefined || entry === null) return '';
      return `${delimiter}Content-Disposition: form-data; name="${escape(name)}"${LINE}${LINE}${entry}${LINE}`;
    }),
  );
  const disposition = `Content-Disposition: form-data; name="file"; filename="${escape(file.name)}"`;
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    head: `${parts.join('')}${delimiter}${disposition}${LINE}Content-Type: ${file.type}${LINE}${LINE}`,
    tail: `${LINE}--${boundary}--${LINE}`,
  };
}

/** Escapes names as browsers do. */
function escape(name: string): string {
  return name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}
