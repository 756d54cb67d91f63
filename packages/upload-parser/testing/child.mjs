/* oxlint-disable typescript/no-unsafe-assignment, typescript/no-unsafe-call, typescript/no-unsafe-member-access -- has no types */
import { serveTasks } from '@back-office/upload-parser/processes';

const kept = [];

/** Does what the task requests, then replies with the process id. */
serveTasks(async ({ keptMegabytes = 0, crashes = false, waits = false }) => {
  if (crashes) process.exit(3);
  if (waits) await new Promise((resolve) => setTimeout(resolve, 60_000));
  kept.push(Buffer.alloc(keptMegabytes * 2 ** 20, 1));
  return { pid: process.pid };
});
