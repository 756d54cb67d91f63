import { register } from 'node:module';

// `node --import` loads this module; its URL contains the number of the bug.
register('./seeded-bug-loader.js', import.meta.url, { data: new URL(import.meta.url).searchParams.get('bug') });
