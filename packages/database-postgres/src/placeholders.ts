/** Adds a value to a statement and returns its placeholder. */
export type Placeholder = (value: unknown) => string;

export function placeholders(values: unknown[]): Placeholder {
  return (value) => `$${values.push(value)}`;
}
