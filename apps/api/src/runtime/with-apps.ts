import type { TypeOrmApps } from '../apps/index.js';
import { readConfig, type Config } from '../config.js';
import { TOKENS } from '../tokens.js';
import { startService } from './service.js';

/** Does something with the apps of an installation, from outside its servers. */
export async function withApps<Result>(
  environment: Config['environment'],
  work: (apps: TypeOrmApps) => Promise<Result>,
): Promise<Result> {
  const service = await startService({ ...readConfig(environment), databasePoolSize: 1 }, { opensStore: false });
  try {
    return await work(service.container.get(TOKENS.Apps));
  } finally {
    await service.stop();
  }
}

/** An app, and a token of it. */
export interface NewApp {
  readonly id: number;
  readonly token: string;
}

/** New apps of these names. */
export function makeApps<Names extends readonly string[]>(
  environment: Config['environment'],
  names: readonly [...Names],
): Promise<{ [Index in keyof Names]: NewApp }> {
  return withApps(environment, async (apps) => {
    const made: NewApp[] = [];
    for (const name of names) {
      const id = await apps.create({ name, currency: 'RSD' });
      made.push({ id, token: (await apps.issueToken({ appId: id })) as string });
    }
    return made as { [Index in keyof Names]: NewApp };
  });
}
