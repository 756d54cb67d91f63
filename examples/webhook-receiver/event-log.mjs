import { open } from 'node:fs/promises';

/** A JSON Lines file that contains each event once. Only one process at a time may open it. */
export class EventLog {
  #file;
  #ids = new Set();
  #lastSequences = new Map();
  #lastStore = Promise.resolve();

  /** @param {import('node:fs/promises').FileHandle} file */
  constructor(file) {
    this.#file = file;
  }

  /** @param {string} path */
  static async open(path) {
    const file = await open(path, 'a+', 0o600);
    const text = await file.readFile('utf8');
    // A killed process may leave an incomplete last line. The service got no answer for that event, so it sends the
    // event again.
    const completeLines = text.slice(0, text.lastIndexOf('\n') + 1);
    await file.truncate(Buffer.byteLength(completeLines));
    const log = new EventLog(file);
    for (const line of completeLines.split('\n').filter(Boolean)) log.#remember(JSON.parse(line));
    return log;
  }

  /**
   * Resolves when the event is on the disk. Skips a repeated event, and an event that is not newer than the last stored
   * event of its record. After a failed write, this call and every later call reject until the file is opened again.
   * @returns {Promise<'stored' | 'repeated' | 'outdated'>}
   */
  store(webhookId, event) {
    // Calls run one after another, so a repeated delivery sees whether the first delivery was stored.
    const result = this.#lastStore.then(() => this.#storeNext({ webhook_id: webhookId, event }));
    this.#lastStore = result;
    return result;
  }

  async close() {
    await this.#lastStore.catch(() => {});
    await this.#file.close();
  }

  async #storeNext(entry) {
    if (this.#ids.has(entry.webhook_id)) return 'repeated';
    if (this.#isOutdated(entry.event)) return 'outdated';
    await this.#file.appendFile(`${JSON.stringify(entry)}\n`);
    await this.#file.sync();
    this.#remember(entry);
    return 'stored';
  }

  /**
   * Returns true if a newer or equal event of the same record is stored. A test message has no sequence, so it is never
   * outdated.
   */
  #isOutdated(event) {
    const lastSequence = this.#lastSequences.get(recordOf(event));
    return event.sequence !== undefined && lastSequence !== undefined && event.sequence <= lastSequence;
  }

  #remember({ webhook_id: webhookId, event }) {
    this.#ids.add(webhookId);
    if (event.sequence !== undefined) this.#lastSequences.set(recordOf(event), event.sequence);
  }
}

/** Includes the source, because records of two apps may have the same subject. */
function recordOf({ source, subject }) {
  return `${source}/${subject}`;
}
