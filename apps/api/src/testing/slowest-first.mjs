import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import Sequencer from '@jest/test-sequencer';
import { budgetOf } from './suite-budgets.mjs';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

/** Starts the slowest suites first. If a slow suite started last, the other workers would be idle. */
export default class SlowestFirst extends Sequencer {
  sort(tests) {
    const wallSeconds = ({ path }) => budgetOf(relative(ROOT, path)).wall;
    return [...super.sort(tests)].sort((a, b) => wallSeconds(b) - wallSeconds(a));
  }
}
