import { DEFAULT_AUDIT_RETENTION_DAYS, type AuditFilter, type AuditLog, type AuditRecord } from '@back-office/apps';
import type { AuditEntry, Clock, Page } from '@back-office/kernel';
import { placeholders } from '../lists/placeholders.js';
import type { Postgres } from '../connection/postgres.js';

const PURGED_AT_ONCE = 5_000;

const FIND_EXPIRED = `
  /* across apps: expired entries of the audit log */
  select e.app_id as "appId", e.id from app_settings a join audit_log e on e.app_id = a.app_id and e.at < $1::timestamptz
    - coalesce((a.settings -> 'audit' ->> 'retention_days')::int, ${DEFAULT_AUDIT_RETENTION_DAYS}) * interval '1 day'
    and not exists (
      select from jsonb_array_elements(a.settings -> 'earlier_audit') as earlier
      where e.at <= (earlier ->> 'until')::timestamptz
        and e.at >= $1::timestamptz - (earlier ->> 'days')::int * interval '1 day'
    )
  limit ${PURGED_AT_ONCE}`;

const REMOVE_ENTRIES = 'delete from audit_log where app_id = $1 and id = any($2::bigint[])';

const COLUMNS = `id, at, actor as kind, token_id as "tokenId", customer_id as "customerId", address,
  request_id as "requestId", service_request_id as "serviceRequestId", action, subject_id as "subjectId", before, after`;

export class SqlAuditLog implements AuditLog {
  constructor(
    private readonly database: Postgres,
    private readonly clock: Clock,
  ) {}

  list(appId: number, filter: AuditFilter, { offset, limit }: Page): Promise<AuditRecord[]> {
    const values: unknown[] = [appId];
    const value = placeholders(values);
    const conditions = [
      filter.action === undefined ? [] : `action = ${value(filter.action)}`,
      filter.subjectId === undefined ? [] : `subject_id = ${value(filter.subjectId)}`,
      filter.tokenId === undefined ? [] : `token_id = ${value(filter.tokenId)}`,
      filter.from === undefined ? [] : `at >= ${value(filter.from)}`,
      filter.until === undefined ? [] : `at < ${value(filter.until)}`,
    ].flat();
    const text = `select ${COLUMNS} from audit_log where ${['app_id = $1', ...conditions].join(' and ')}
      order by at desc, id desc offset ${value(offset)} limit ${value(limit)}`;
    return this.database.rows<AuditRecord>(text, values);
  }

  note(appId: number, entry: AuditEntry): Promise<void> {
    return this.database.transaction(async (transaction) => {
      transaction.record(appId, this.clock.now(), { entries: [entry] });
    });
  }

  async purge(): Promise<boolean> {
    const expired = await this.database.rows<{ readonly appId: number; readonly id: number }>(FIND_EXPIRED, [
      this.clock.now(),
    ]);
    for (const appId of new Set(expired.map((entry) => entry.appId))) {
      const ids = expired.filter((entry) => entry.appId === appId).map(({ id }) => id);
      await this.database.rows(REMOVE_ENTRIES, [appId, ids]);
    }
    return expired.length === PURGED_AT_ONCE;
  }
}
