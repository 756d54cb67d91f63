import { runnerOf } from '@back-office/kernel/testing';
import { mediaFactsContract } from '@back-office/media/testing';
import { readdir } from 'node:fs/promises';
import { holdLibrary } from '../testing/hold-library.js';
import { MediainfoFacts } from './mediainfo-facts.js';

holdLibrary();

const countThreads = async (): Promise<number> => (await readdir('/proc/self/task').catch(() => [])).length;

describe('MediainfoFacts', () => {
  mediaFactsContract(runnerOf(globalThis), async () => new MediainfoFacts(), {
    openLimited: (limits) => new MediainfoFacts(limits),
    countThreads,
  });
});
