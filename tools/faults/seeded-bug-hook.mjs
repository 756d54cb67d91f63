import { register } from 'node:module';

// `node --import` loads this module; its URL contains the changes of the bug.
register('./seeded-bug-loader.mjs', import.meta.url, { data: new URL(import.meta.url).searchParams.get('changes') });
