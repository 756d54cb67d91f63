import { describePoint } from './points.js';
import type { AdapterReport, MutantResult } from './mutants.js';

export const MIN_KILLED_PERCENT = 95;

export function killedPercent(reports: readonly AdapterReport[]): number {
  const [killed, survived] = [countResults(reports, 'killed'), countResults(reports, 'survived')];
  return killed + survived === 0 ? 0 : (100 * killed) / (killed + survived);
}

function countResults(reports: readonly AdapterReport[], result: MutantResult): number {
  return reports.reduce((sum, { verdicts }) => sum + verdicts.filter((verdict) => verdict.result === result).length, 0);
}

/** Returns a table of all adapters and a list of surviving mutants. */
export function tableOf(reports: readonly AdapterReport[]): string {
  const rows = [...reports.map((report) => rowOf(report.name, [report])), rowOf('all', reports)];
  const survivors = reports.flatMap(({ name, verdicts }) =>
    verdicts
      .filter(({ result }) => result === 'survived')
      .map(({ point, reason }) => `${name} ${describePoint(point)}${reason === 'all pass' ? '' : ` (${reason})`}`),
  );
  return [
    '| Adapter           | Points | Mutants | Killed | Survived | Killed % | Invalid |',
    '| ----------------- | -----: | ------: | -----: | -------: | -------: | ------: |',
    ...rows,
    '',
    ...(survivors.length > 0 ? ['Survived:', ...survivors.toSorted()] : []),
  ].join('\n');
}

function rowOf(name: string, reports: readonly AdapterReport[]): string {
  const [killed, survived, invalid] = (['killed', 'survived', 'invalid'] as const).map((result) =>
    countResults(reports, result),
  );
  const points = reports.reduce((sum, report) => sum + report.pointCount, 0);
  const cells = [
    [points, 6],
    [(killed ?? 0) + (survived ?? 0), 7],
    [killed, 6],
    [survived, 8],
    [killedPercent(reports).toFixed(1), 8],
    [invalid, 7],
  ] as const;
  return `| ${name.padEnd(17)} | ${cells.map(([value, width]) => String(value).padStart(width)).join(' | ')} |`;
}
