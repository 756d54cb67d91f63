import type { Party, PartyKind } from '@back-office/database';
import { Turns, type EndTurn } from '@back-office/kernel';

/** Party of work that belongs to no app. It takes turns like an app. */
export const BACKGROUND: Party = { kind: 'app', key: 'background' };

/** Of this many connections, one is reserved for look-ups. */
const CONNECTIONS_PER_RESERVE = 5;
/** The connections beyond this share are for other apps. */
const SHARE_OF_ONE_APP = 0.75;

/**
 * Grants connections of the pool in turns by app. Short look-ups of tokens, files and health, which every call needs,
 * have turns of their own by address. They may want more connections than there are; then the pool queues them.
 */
export class ConnectionTurns {
  private readonly turns: Readonly<Record<PartyKind, Turns<Party['key']>>>;

  constructor(
    size: number,
    private readonly timeoutMs: number,
  ) {
    const forApps = size - Math.floor(size / CONNECTIONS_PER_RESERVE);
    const forLookUps = Math.max(1, Math.floor(size / 2) - 1);
    this.turns = {
      app: new Turns(forApps, Math.max(1, Math.floor(forApps * SHARE_OF_ONE_APP))),
      token: new Turns(forLookUps),
      file: new Turns(forLookUps),
      health: new Turns(1),
    };
  }

  get waitingCount(): number {
    return Object.values(this.waiting()).reduce((sum, count) => sum + count, 0);
  }

  waiting(): Record<PartyKind, number> {
    const { app, token, file, health } = this.turns;
    return {
      app: app.waitingCount,
      token: token.waitingCount,
      file: file.waitingCount,
      health: health.waitingCount,
    };
  }

  /** Resolves when it is the party's turn; rejects after the timeout. */
  take({ kind, key }: Party): Promise<EndTurn> {
    return new Promise((resolve, reject) => {
      const wait: { timer?: NodeJS.Timeout } = {};
      let isGranted = false;
      const leave = this.turns[kind].enter(key, (end) => {
        isGranted = true;
        clearTimeout(wait.timer);
        resolve(end);
      });
      if (isGranted) return;
      wait.timer = setTimeout(() => {
        leave();
        // Same message as a timeout of the `pg` pool, so that callers recognize both timeouts.
        reject(new Error('timeout exceeded when trying to connect'));
      }, this.timeoutMs);
    });
  }
}
