import { register } from 'node:module';

// Preloaded by `node --import`, with the number of the bug in its address.
register('./seeded-bug-loader.js', import.meta.url, { data: new URL(import.meta.url).searchParams.get('bug') });
