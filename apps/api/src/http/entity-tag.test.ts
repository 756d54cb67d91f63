import { withEntityTag } from './entity-tag.js';

const listOf = (rows: number, secondsLeft: number, name: string): string =>
  JSON.stringify({
    data: Array.from({ length: rows }, (_, id) => ({ id, name, expires_in_seconds: secondsLeft - id })),
  });

async function tagOf(text: string): Promise<string | undefined> {
  return (await withEntityTag({ status: 200, text })).headers?.['ETag'];
}

describe.each([
  ['a short answer', 10],
  ['an answer of some kilobytes', 200],
  ['an answer of a megabyte', 20_000],
])('the tag of %s', (_, rows) => {
  it('stays the same while only the countdown changes', async () => {
    expect(await tagOf(listOf(rows, 90_000, 'Jović'))).toBe(await tagOf(listOf(rows, 123_456, 'Jović')));
  });

  it('changes with the records', async () => {
    expect(await tagOf(listOf(rows, 90_000, 'Jović'))).not.toBe(await tagOf(listOf(rows, 90_000, 'Ilić')));
  });

  it('comes with an unchanged body', async () => {
    const text = listOf(rows, 90_000, 'Jović');
    const answer = await withEntityTag({ status: 200, text });
    expect(Buffer.from(answer.text ?? '').toString()).toBe(text);
  });
});
