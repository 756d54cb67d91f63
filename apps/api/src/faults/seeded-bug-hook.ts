import { register } from 'node:module';

// `node --import` loads this module with the number of the bug in its URL.
register('./seeded-bug-loader.js', import.meta.url, { data: new URL(import.meta.url).searchParams.get('bug') });
