import {
  FINAL_STATUSES,
  isFinal,
  OPEN_STATUSES,
  STATUSES,
  TRANSITIONS,
  type Action,
  type ProformaStatus,
} from '@back-office/proforma';
import type { Route } from '../http/route.js';
import { errorsPage, GENERATED_NOTICE } from './errors-page.js';

/** Makes the text of each generated page of `docs/`, by file name. */
export const GENERATED_PAGES: Readonly<Record<string, (routes: readonly Route[]) => string>> = {
  'proforma-states.md': proformaStates,
  'errors.md': errorsPage,
};

function proformaStates(): string {
  const actions = Object.keys(TRANSITIONS) as Action[];
  const arrows = actions.flatMap(arrowsOf);
  const [openArrows, finalArrows] = [
    arrows.filter((arrow) => !arrow.startsWith('open')),
    arrows.filter((arrow) => arrow.startsWith('open')),
  ];
  const diagram = [
    'stateDiagram-v2',
    '  state open {',
    ...['[*] --> draft: create', ...openArrows].map((line) => `    ${line}`),
    '  }',
    ...[...finalArrows, ...FINAL_STATUSES.map((status) => `${status} --> [*]`)].map((line) => `  ${line}`),
  ];
  return [
    '# Proforma states',
    '',
    GENERATED_NOTICE,
    '',
    'Look here to see which action leads from which status to which.',
    '',
    'An action without a row for the present status is refused with `API.ProformaOrders.AlreadyFinal`.',
    'The exception is `convert`: on a converted proforma it answers the order again.',
    '',
    '```mermaid',
    ...diagram,
    '```',
    '',
    '| action | from | to |',
    '| --- | --- | --- |',
    ...actions.flatMap(rowsOf),
    '',
  ].join('\n');
}

/** Draws one arrow per transition to a final status; unchanged statuses are only in the table. */
function arrowsOf(action: Action): string[] {
  return TRANSITIONS[action].flatMap(({ from, to }) =>
    to.flatMap((target) => {
      if (target === 'unchanged') return [];
      if (isFinal(target)) return [`open --> ${target}: ${action}`];
      return from.filter((status) => status !== target).map((status) => `${status} --> ${target}: ${action}`);
    }),
  );
}

function rowsOf(action: Action): string[] {
  return TRANSITIONS[action].map(({ from, to }) => `| ${action} | ${formatStatuses(from)} | ${to.join(', ')} |`);
}

function formatStatuses(statuses: readonly ProformaStatus[]): string {
  if (statuses.length === STATUSES.length) return 'any';
  return statuses.length === OPEN_STATUSES.length ? 'open' : statuses.join(', ');
}
