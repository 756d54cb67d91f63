import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import Sequencer from '@jest/test-sequencer';
import { budgetOf } from './suite-budgets.mjs';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

/** A suite of a minute that starts last leaves the other workers idle; a clean checkout does not know yet which those are. */
export default class SlowestFirst extends Sequencer {
  sort(tests) {
    const budget = ({ path }) => budgetOf(relative(ROOT, path));
    return [...super.sort(tests)].sort((a, b) => budget(b) - budget(a));
  }
}
