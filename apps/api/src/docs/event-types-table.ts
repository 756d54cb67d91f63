import { EVENT_KINDS } from '@back-office/events';
import { EVENT_TYPES } from '@back-office/kernel';

const START = '<!-- event types: start -->';
const END = '<!-- event types: end -->';

export function withEventTypes(page: string): string {
  const [textBefore = '', textAfterStart = ''] = page.split(START);
  const textAfterEnd = textAfterStart.split(END)[1] ?? '';
  const rows = EVENT_TYPES.map((type) => {
    const { subject, area, description } = EVENT_KINDS[type];
    return `| \`${type}\` | \`${subject}\` | \`${area}:read\` | ${description} |`;
  });
  const table = ['| type | subject | scope | what happened |', '| --- | --- | --- | --- |', ...rows].join('\n');
  return `${textBefore}${START}\n\n${table}\n\n${END}${textAfterEnd}`;
}
