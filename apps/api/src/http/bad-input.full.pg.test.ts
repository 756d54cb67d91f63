import { describeBadInput } from '../testing/bad-input-suite.js';
import { ALL_HOSTILE_INPUT } from '../testing/hostile-values.js';

describeBadInput(ALL_HOSTILE_INPUT, 20_000);
