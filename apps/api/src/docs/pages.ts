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
import { codeSpan, errorsPage, GENERATED_NOTICE } from './errors-page.js';

/** Makes the text of each generated page of `docs/`, by file name. */
export const GENERATED_PAGES: Readonly<Record<string, (routes: readonly Route[]) => string>> = {
  'proforma-states.md': proformaStates,
  'errors.md': errorsPage,
};

const CALL_BY_ACTION: Readonly<Record<Action, string>> = {
  pay: '`POST /proforma_orders/{id}/pay`',
  begin_card_payment: '`POST /proforma_orders/{id}/card_payments`',
  card_result: '`POST /proforma_orders/{id}/card_payments/{payment_id}/result`',
  warehouse_confirm: '`POST /proforma_orders/{id}/warehouse_confirm`',
  convert: '`POST /proforma_orders/{id}/convert`',
  cancel: '`DELETE /proforma_orders/{id}`',
  refund_order: '`PUT /orders/bulk_update` with `refund`',
  expire: 'none: the deadline `expires_at` has passed',
  edit: '`PUT` or `PATCH /proforma_orders/{id}`',
  resolve_alerts: '`PUT` or `PATCH /proforma_orders/{id}` with `alerts`',
  record_refund: '`POST /proforma_orders/{id}/refunds/{refund_id}/record`',
  retry_refund: '`POST /proforma_orders/{id}/refunds/{refund_id}/retry`',
};

function proformaStates(): string {
  const actions = Object.keys(TRANSITIONS) as Action[];
  return [
    '# Proforma states',
    '',
    GENERATED_NOTICE,
    '',
    'Use this page to see which actions a proforma accepts in each status, and which status follows.',
    '',
    `- **Open** statuses: ${OPEN_STATUSES.map(codeSpan).join(', ')}.`,
    `- **Final** statuses: ${FINAL_STATUSES.map(codeSpan).join(', ')}. They never change.`,
    '',
    'The picture shows the actions that change the status:',
    '',
    '```mermaid',
    ...diagramOf(actions),
    '```',
    '',
    'The table shows all actions. If an action has several results, the payments, the confirmed quantities or the',
    'settings of the app decide. “unchanged” means that the action keeps the status.',
    '',
    '| action | call | in status | next status |',
    '| --- | --- | --- | --- |',
    ...actions.flatMap(rowsOf),
    '',
    'Any other combination is refused with `API.ProformaOrders.AlreadyFinal`. Exception: if you repeat `convert` on a',
    'converted proforma, it returns the same order.',
    '',
  ].join('\n');
}

function diagramOf(actions: readonly Action[]): string[] {
  const arrows = actions.flatMap(arrowsOf);
  const [openArrows, finalArrows] = [
    arrows.filter((arrow) => !arrow.startsWith('open')),
    arrows.filter((arrow) => arrow.startsWith('open')),
  ];
  return [
    'stateDiagram-v2',
    '  state open {',
    ...['[*] --> draft: create', ...openArrows].map((line) => `    ${line}`),
    '  }',
    ...[...finalArrows, ...FINAL_STATUSES.map((status) => `${status} --> [*]`)].map((line) => `  ${line}`),
  ];
}

/** Draws one arrow per transition to a final status. Transitions that keep the status appear only in the table. */
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
  return TRANSITIONS[action].map(
    ({ from, to }) => `| ${action} | ${CALL_BY_ACTION[action]} | ${formatStatuses(from)} | ${to.join(', ')} |`,
  );
}

function formatStatuses(statuses: readonly ProformaStatus[]): string {
  if (statuses.length === STATUSES.length) return 'any';
  return statuses.length === OPEN_STATUSES.length ? 'open' : statuses.join(', ');
}
