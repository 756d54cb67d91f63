import type { EarnedPoints } from '@back-office/proforma';
import type { State } from '../state.js';

export function bookPoints(state: State, appId: number, earnedPoints: readonly EarnedPoints[], now: Date): void {
  for (const { orderId, customerId, points } of earnedPoints) {
    state.loyaltyBookings.put(appId, {
      id: orderId,
      customer_id: customerId,
      points,
      inserted_at: now,
      taken_back_at: null,
    });
    addPoints(state, appId, customerId, points, now);
  }
}

/** Withdraws the points of refunded orders and returns the ids of their customers. A repeated call has no effect. */
export function withdrawPoints(state: State, appId: number, orderIds: readonly number[], now: Date): number[] {
  const customerIds = new Set<number>();
  for (const id of orderIds) {
    const booking = state.loyaltyBookings.get(appId, id);
    if (booking?.taken_back_at !== null) continue;
    state.loyaltyBookings.put(appId, { ...booking, taken_back_at: now });
    addPoints(state, appId, booking.customer_id, -booking.points, now);
    customerIds.add(booking.customer_id);
  }
  return [...customerIds];
}

function addPoints({ customers }: State, appId: number, customerId: number, points: number, now: Date): void {
  const customer = customers.get(appId, customerId);
  if (customer === undefined) return;
  customers.put(appId, { ...customer, loyalty_points: customer.loyalty_points + points, updated_at: now });
}
