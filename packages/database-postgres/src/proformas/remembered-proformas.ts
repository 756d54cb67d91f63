import { SlotMap } from '@back-office/kernel';
import type { Proforma } from '@back-office/proforma';

const MAX_REMEMBERED = 500;
/** Long proformas are rare, and 500 of them would take 150 MB. */
const MAX_LINES = 50;

/** A proforma as it was stored with this version. */
export interface VersionedProforma {
  readonly proforma: Proforma;
  readonly version: number;
}

/**
 * The proformas that this process stored last. A change of a remembered proforma needs no read: the statement that
 * stores the change also checks the version. Every change of the proforma, its lines or its payments increases the
 * version.
 */
export class RememberedProformas {
  private readonly byKey = new SlotMap<string, VersionedProforma>();

  remember(appId: number, versioned: VersionedProforma): void {
    // Whether a converted proforma is payable depends on its order. A change of the order does not increase the version.
    if (versioned.proforma.converted !== null || versioned.proforma.lines.length > MAX_LINES) return;
    const [oldestKey] = this.byKey.keys();
    if (oldestKey !== undefined && this.byKey.size >= MAX_REMEMBERED) this.byKey.delete(oldestKey);
    this.byKey.set(keyOf(appId, versioned.proforma.id), versioned);
  }

  /** Returns the proforma and forgets it, so that a failed change cannot leave an outdated one. */
  take(appId: number, id: number): VersionedProforma | undefined {
    const key = keyOf(appId, id);
    const versioned = this.byKey.get(key);
    this.byKey.delete(key);
    return versioned;
  }
}

function keyOf(appId: number, id: number): string {
  return `${appId}/${id}`;
}
