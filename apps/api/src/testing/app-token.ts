import { runNode } from './run-node.js';

/** Creates an app with the command line. Returns its token. */
export async function appToken(database: Readonly<Record<string, string>>): Promise<string> {
  const { stdout } = await runNode('cli.js', ['app', 'create', '--name', 'P', '--json'], database);
  return JSON.parse(stdout).access_token as string;
}
