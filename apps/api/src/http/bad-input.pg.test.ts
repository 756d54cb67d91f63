import { describeBadInput } from '../testing/bad-input-suite.js';
import { ONE_OF_EACH_KIND } from '../testing/hostile-values.js';

describeBadInput(ONE_OF_EACH_KIND, 4_000);
