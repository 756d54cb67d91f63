import { DatabaseUnavailable, UnknownOutcome } from '@back-office/database';
import { closeSync, fsyncSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';

/** A file of JSON lines, each written whole or not at all. One process at a time may have it open. */
export class Journal {
  #file;
  #length;
  #isBroken = false;

  /** @param {string} path */
  constructor(path) {
    this.#file = openSync(path, 'a+', 0o600);
    const text = readFileSync(path, 'utf8');
    // A process that was killed may have left half a line.
    const whole = text.slice(0, text.lastIndexOf('\n') + 1);
    this.#length = Buffer.byteLength(whole);
    ftruncateSync(this.#file, this.#length);
    this.lines = whole.split('\n').filter(Boolean);
  }

  /** @param {unknown} value */
  append(value) {
    if (this.#isBroken) throw new DatabaseUnavailable('An earlier write to the file could not be taken back');
    const line = Buffer.from(`${JSON.stringify(value)}\n`);
    try {
      for (let written = 0; written < line.length;) written += writeSync(this.#file, line, written);
      fsyncSync(this.#file);
      this.#length += line.length;
    } catch (cause) {
      this.#takeBack(cause);
      throw new DatabaseUnavailable('The file cannot be written', { cause });
    }
  }

  close() {
    closeSync(this.#file);
  }

  /** Nothing of a line may stay that its caller is told was not written. */
  #takeBack(cause) {
    try {
      ftruncateSync(this.#file, this.#length);
      fsyncSync(this.#file);
    } catch {
      this.#isBroken = true;
      throw new UnknownOutcome('The file cannot be written, nor the write taken back', { cause });
    }
  }
}
