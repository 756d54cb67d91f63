import type { AppAdministration } from '../apps/index.js';
import { readConfig, type Config } from '../config.js';
import { TOKENS } from '../tokens.js';
import { startService } from './service.js';

/** Runs `work` with the app administration, even while another process serves the installation. */
export async function withApps<Result>(
  environment: Config['environment'],
  work: (apps: AppAdministration) => Promise<Result>,
): Promise<Result> {
  const service = await startService({ ...readConfig(environment), databasePoolSize: 1 }, { usesFiles: false });
  try {
    return await work(service.container.get(TOKENS.Apps));
  } finally {
    await service.stop();
  }
}

export interface NewApp {
  readonly id: number;
  readonly token: string;
}

export function makeApps<Names extends readonly string[]>(
  environment: Config['environment'],
  names: readonly [...Names],
): Promise<{ [Index in keyof Names]: NewApp }> {
  return withApps(environment, async (apps) => {
    const newApps: NewApp[] = [];
    for (const name of names) {
      const id = await apps.create({ name, currency: 'RSD' });
      newApps.push({ id, token: (await apps.issueToken({ appId: id })) as string });
    }
    return newApps as { [Index in keyof Names]: NewApp };
  });
}
