import { open } from 'node:fs/promises';

/** A file of JSON lines that has each event once. Only one process at a time may open the file. */
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
    // A killed process may leave an incomplete last line. Its event was not answered, so it will come again.
    const completeLines = text.slice(0, text.lastIndexOf('\n') + 1);
    await file.truncate(Buffer.byteLength(completeLines));
    const log = new EventLog(file);
    for (const line of completeLines.split('\n').filter(Boolean)) log.#remember(JSON.parse(line));
    return log;
  }

  /**
   * Resolves when the event is on the disk. A repeat, or an event older than the last one of its record, is not stored.
   * After a failed write, this and every later call rejects until the file is opened again.
   * @returns {Promise<'stored' | 'repeated' | 'outdated'>}
   */
  store(webhookId, event) {
    // One call at a time: an attempt that arrives during another one must see its result.
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

  /** Test messages have no sequence. */
  #isOutdated(event) {
    const lastSequence = this.#lastSequences.get(recordOf(event));
    return event.sequence !== undefined && lastSequence !== undefined && event.sequence <= lastSequence;
  }

  #remember({ webhook_id: webhookId, event }) {
    this.#ids.add(webhookId);
    if (event.sequence !== undefined) this.#lastSequences.set(recordOf(event), event.sequence);
  }
}

/** Two apps may have records with the same subject. */
function recordOf({ source, subject }) {
  return `${source}/${subject}`;
}
