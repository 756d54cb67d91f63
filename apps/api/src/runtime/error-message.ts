/** Returns the message of an error. Node reports a refused connection as an AggregateError whose message is empty. */
export function messageOf(error: unknown): string {
  const { message, errors, cause } = error as { message?: string; errors?: Error[]; cause?: unknown };
  const [text = ''] = [message, errors?.[0]?.message, String(error)]
    .filter((candidate) => candidate !== undefined && candidate !== '')
    .map((candidate) => candidate?.split('\n')[0]);
  const causeText = cause instanceof Error ? cause.message.split('\n')[0] : '';
  return causeText === '' || text.includes(causeText as string) ? text : `${text} (${causeText})`;
}
