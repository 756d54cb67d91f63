import { readFileSync } from 'node:fs';

const { scripts } = JSON.parse(readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
};

/** Node options of `npm start` and `npm run worker`. */
export const NODE_OPTIONS = / node (.+) apps\//.exec(scripts['start'] ?? '')?.[1]?.split(' ') ?? [];
