import type { ListedPage } from '@back-office/kernel';
import type { Order, OrderListQuery, OrderPayment, OrderQueries } from '@back-office/orders';
import type { Payment } from '@back-office/proforma';
import type { State } from '../state.js';
import { orderList } from './order-list.js';
import type { StoredOrder } from './records.js';

export class MemoryOrderQueries implements OrderQueries {
  constructor(private readonly state: State) {}

  async find(appId: number, id: number): Promise<Order | undefined> {
    const order = this.state.orders.get(appId, id);
    if (order === undefined) return undefined;
    const payments = this.paymentsOf(appId, order);
    return { ...order, payments: payments.length > 0 ? payments : null };
  }

  async findAll(appId: number, ids: readonly number[]): Promise<Order[]> {
    const orders = await Promise.all(ids.map((id) => this.find(appId, id)));
    return orders.filter((order) => order !== undefined);
  }

  async findByParts(appId: number, id: number, dataPart: number, timePart: number): Promise<Order | undefined> {
    const order = await this.find(appId, id);
    return order?.data_part === dataPart && order.time_part === timePart ? order : undefined;
  }

  async list(query: OrderListQuery): Promise<ListedPage> {
    return orderList(this.state.orders.all(query.app.id), query);
  }

  private paymentsOf(appId: number, order: StoredOrder): readonly OrderPayment[] {
    if (order.proforma_order_id === null) return order.payments;
    return (this.state.proformas.get(appId, order.proforma_order_id)?.payments ?? []).map(paymentOf);
  }
}

function paymentOf(payment: Payment): OrderPayment {
  const { id, amount, method, methodId, status, date, refundOf, externalRef, receivedAt, payer } = payment;
  return {
    id,
    amount,
    method,
    payment_method_id: methodId,
    status,
    paid_at: date.toISOString(),
    refund_of: refundOf,
    external_ref: externalRef,
    received_at: receivedAt?.toISOString() ?? null,
    payer,
  };
}
