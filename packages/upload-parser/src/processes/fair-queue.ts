interface Owner {
  running: number;
  readonly waiting: (() => void)[];
}

/** Limits the number of running tasks, in total and per owner. Waiting owners take turns. */
export class FairQueue {
  private running = 0;
  /** Owners in the order of their turns. When a task ends, its owner moves to the end. */
  private readonly owners = new Map<number, Owner>();

  constructor(
    private readonly maxRunning: number,
    private readonly maxRunningPerOwner: number,
  ) {}

  async run<Result>(ownerId: number, task: () => Promise<Result>): Promise<Result> {
    await new Promise<void>((resolve) => {
      const owner = this.owners.get(ownerId) ?? { running: 0, waiting: [] };
      this.owners.set(ownerId, owner);
      owner.waiting.push(resolve);
      this.startNext();
    });
    try {
      return await task();
    } finally {
      this.end(ownerId);
    }
  }

  private startNext(): void {
    if (this.running >= this.maxRunning) return;
    for (const owner of this.owners.values()) {
      if (owner.running >= this.maxRunningPerOwner) continue;
      const start = owner.waiting.shift();
      if (start === undefined) continue;
      owner.running += 1;
      this.running += 1;
      return start();
    }
  }

  private end(ownerId: number): void {
    this.running -= 1;
    const owner = this.owners.get(ownerId);
    this.owners.delete(ownerId);
    if (owner) owner.running -= 1;
    if (owner && (owner.running > 0 || owner.waiting.length > 0)) this.owners.set(ownerId, owner);
    this.startNext();
  }
}
