import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import Sequencer from '@jest/test-sequencer';
import { budgetOf } from './suite-budgets.mjs';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

/** Starts long suites first, because one that starts last leaves the other workers idle. */
export default class SlowestFirst extends Sequencer {
  sort(tests) {
    const budget = ({ path }) => budgetOf(relative(ROOT, path)).wall;
    return [...super.sort(tests)].sort((a, b) => budget(b) - budget(a));
  }
}
