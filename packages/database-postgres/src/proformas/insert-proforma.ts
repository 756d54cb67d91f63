import { isRefusal, type Refusal } from '@back-office/kernel';
import { createdProformaEvents, type CreationDecision, type Proforma } from '@back-office/proforma';
import { findEvaluationFacts } from '../checkout/sql-evaluations.js';
import type { Transaction } from '../connection/transaction.js';
import { eventRows } from '../connection/event-statements.js';
import { frozenColumns, lineColumns, changingColumns, paymentColumns } from './proforma-columns.js';
import { INSERT_PROFORMA } from './proforma-statements.js';

/** A warehouse was switched off after its stock was chosen. Nothing was written. */
export class WarehouseNotSellable extends Error {}

interface InsertedIds {
  readonly id: number;
  readonly fees: Proforma['fees'];
  readonly items: readonly number[];
  readonly payments: readonly number[];
}

/** Returns `undefined` if the app has no such evaluation. */
export async function insertProforma(
  transaction: Transaction,
  appId: number,
  evaluationId: number,
  decide: CreationDecision,
  now: Date,
): Promise<Proforma | Refusal | undefined> {
  const facts = await findEvaluationFacts(transaction, appId, evaluationId, now);
  if (facts === undefined) return undefined;
  const proforma = decide(facts, now);
  if (isRefusal(proforma)) return proforma;
  const columns = { ...frozenColumns(proforma), ...changingColumns(proforma) };
  const lines = proforma.lines.map((line, position) => ({ position, ...lineColumns(line) }));
  const payments = proforma.payments.map((payment, ordinal) => ({
    ordinal,
    ...paymentColumns(payment, proforma.payments),
  }));
  const [insertedIds] = await transaction.runLast<InsertedIds>(INSERT_PROFORMA, [
    appId,
    JSON.stringify(columns),
    JSON.stringify(lines),
    proforma.insertedAt,
    evaluationId,
    JSON.stringify(payments),
    eventRows(createdProformaEvents(proforma)),
  ]);
  if (insertedIds === undefined) throw new WarehouseNotSellable();
  const { id, fees, ...ids } = insertedIds;
  return {
    ...proforma,
    id,
    fees,
    lines: proforma.lines.map((line, index) => ({ ...line, id: ids.items[index] as number })),
    payments: proforma.payments.map((payment, index) => ({ ...payment, id: ids.payments[index] as number })),
  };
}
