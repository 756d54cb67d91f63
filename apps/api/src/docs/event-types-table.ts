import { EVENT_KINDS } from '@back-office/events';
import { EVENT_TYPES } from '@back-office/kernel';

const START_MARKER = '<!-- event types: start -->';
const END_MARKER = '<!-- event types: end -->';

export function withEventTypes(page: string): string {
  const [textBefore = '', textAfterStart = ''] = page.split(START_MARKER);
  const textAfterEnd = textAfterStart.split(END_MARKER)[1] ?? '';
  const rows = EVENT_TYPES.map((type) => {
    const { subject, area, description } = EVENT_KINDS[type];
    return `| \`${type}\` | \`${subject}\` | \`${area}:read\` | ${description} |`;
  });
  const table = ['| type | subject | scope | what happened |', '| --- | --- | --- | --- |', ...rows].join('\n');
  return `${textBefore}${START_MARKER}\n\n${table}\n\n${END_MARKER}${textAfterEnd}`;
}
