export type Placeholder = (value: unknown) => string;

export function placeholders(values: unknown[]): Placeholder {
  return (value) => `$${values.push(value)}`;
}
