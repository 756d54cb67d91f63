import { DatabaseUnavailable, UnknownOutcome } from '@back-office/database';
import { closeSync, fsyncSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';

/** A file of JSON lines. Each line is written completely or not at all. Only one process may open the file. */
export class Journal {
  #file;
  #length;
  #isBroken = false;

  /** @param {string} path */
  constructor(path) {
    this.#file = openSync(path, 'a+', 0o600);
    const text = readFileSync(path, 'utf8');
    // A killed process may leave an incomplete last line.
    const completeLines = text.slice(0, text.lastIndexOf('\n') + 1);
    this.#length = Buffer.byteLength(completeLines);
    ftruncateSync(this.#file, this.#length);
    this.lines = completeLines.split('\n').filter(Boolean);
  }

  /** @param {unknown} value */
  append(value) {
    if (this.#isBroken) throw new DatabaseUnavailable('An earlier failed write to the file could not be undone');
    const line = Buffer.from(`${JSON.stringify(value)}\n`);
    try {
      for (let written = 0; written < line.length;) written += writeSync(this.#file, line, written);
      fsyncSync(this.#file);
      this.#length += line.length;
    } catch (cause) {
      this.#undoWrite(cause);
      throw new DatabaseUnavailable('The file cannot be written', { cause });
    }
  }

  close() {
    closeSync(this.#file);
  }

  /** Removes an incomplete line, because `append` then reports that it has written nothing. */
  #undoWrite(cause) {
    try {
      ftruncateSync(this.#file, this.#length);
      fsyncSync(this.#file);
    } catch {
      this.#isBroken = true;
      throw new UnknownOutcome('The file cannot be written, and the write cannot be undone', { cause });
    }
  }
}
