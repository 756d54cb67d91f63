import { InMemoryMediaStore } from '@back-office/media/testing';
import type { Library } from '../media/index.js';

/** A library that keeps its files in memory. */
export const testLibrary = (): Library => ({ store: new InMemoryMediaStore(), base: 'http://media.example/media' });
