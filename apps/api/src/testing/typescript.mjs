/** `node --import` loads this module, so that Node runs TypeScript sources. */
import { register } from 'node:module';

register('./typescript-hooks.mjs', import.meta.url);
