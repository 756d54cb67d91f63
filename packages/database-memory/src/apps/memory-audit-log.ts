import { isAuditExpired, type AuditFilter, type AuditLog, type AuditRecord } from '@back-office/apps';
import type { AuditEntry, Clock, Page } from '@back-office/kernel';
import { audit } from './audit-entries.js';
import { compare, pageOf } from '../lists.js';
import type { State } from '../state.js';
import { NO_APP_ID } from './memory-apps.js';

export class MemoryAuditLog implements AuditLog {
  constructor(
    private readonly state: State,
    private readonly clock: Clock,
  ) {}

  async list(appId: number, filter: AuditFilter, page: Page): Promise<AuditRecord[]> {
    const records = this.state.auditLog.all(appId).filter((record) => matches(record, filter));
    return pageOf(
      records.sort((a, b) => compare(b.at.getTime(), a.at.getTime()) || b.id - a.id),
      page,
    );
  }

  async note(appId: number, entry: AuditEntry): Promise<void> {
    this.state.memory.transaction(() => audit(this.state, appId, this.clock.now(), [entry]));
  }

  async purge(): Promise<boolean> {
    this.state.memory.transaction(() => {
      for (const { id: appId, settings } of this.state.apps.all(NO_APP_ID)) {
        const isExpired = ({ at }: AuditRecord): boolean => isAuditExpired({ settings }, at, this.clock.now());
        for (const { id } of this.state.auditLog.all(appId).filter(isExpired)) this.state.auditLog.delete(appId, id);
      }
    });
    return false;
  }
}

function matches(record: AuditRecord, { action, subjectId, tokenId, from, until }: AuditFilter): boolean {
  return (
    (action === undefined || record.action === action) &&
    (subjectId === undefined || record.subjectId === subjectId) &&
    (tokenId === undefined || record.tokenId === tokenId) &&
    (from === undefined || record.at >= from) &&
    (until === undefined || record.at < until)
  );
}
