interface Party {
  held: number;
  readonly waiting: Set<() => void>;
}

/** Leaves the queue, or gives the turn back. Further calls do nothing. */
export type EndTurn = () => void;

/**
 * Limits how much runs at once, in total and for each party. The waiting party that has the fewest turns comes next;
 * among equals, the one whose last turn ended first.
 */
export class Turns<Key> {
  private held = 0;
  private waiters = 0;
  private readonly parties = new Map<Key, Party>();

  constructor(
    private readonly max: number,
    private readonly maxOfParty: number = max,
  ) {}

  get waitingCount(): number {
    return this.waiters;
  }

  isWaiting(key: Key): boolean {
    return (this.parties.get(key)?.waiting.size ?? 0) > 0;
  }

  /** Calls `start` when it is the party's turn, which may be at once. */
  enter(key: Key, start: (end: EndTurn) => void): EndTurn {
    const party = this.parties.get(key) ?? { held: 0, waiting: new Set() };
    this.parties.set(key, party);
    let isStarted = false;
    const begin = (): void => {
      isStarted = true;
      this.held += 1;
      party.held += 1;
      start(end);
    };
    const end = (): void => {
      if (party.waiting.delete(begin)) this.waiters -= 1;
      else if (isStarted) this.giveBack(key, party);
      else return;
      isStarted = false;
      if (party.held === 0 && party.waiting.size === 0) this.parties.delete(key);
      this.startWaiting();
    };
    party.waiting.add(begin);
    this.waiters += 1;
    this.startWaiting();
    return end;
  }

  async run<Result>(key: Key, work: () => Promise<Result>): Promise<Result> {
    const end = await new Promise<EndTurn>((resolve) => this.enter(key, resolve));
    try {
      return await work();
    } finally {
      end();
    }
  }

  private giveBack(key: Key, party: Party): void {
    this.held -= 1;
    party.held -= 1;
    // The party moves to the end of the order.
    this.parties.delete(key);
    this.parties.set(key, party);
  }

  private startWaiting(): void {
    while (this.held < this.max) {
      const party = this.nextParty();
      if (party === undefined) return;
      const begin = party.waiting.values().next().value as () => void;
      party.waiting.delete(begin);
      this.waiters -= 1;
      begin();
    }
  }

  private nextParty(): Party | undefined {
    let next: Party | undefined;
    for (const party of this.parties.values()) {
      if (party.waiting.size === 0 || party.held >= this.maxOfParty || party.held >= (next?.held ?? Infinity)) continue;
      next = party;
      if (party.held === 0) break;
    }
    return next;
  }
}
