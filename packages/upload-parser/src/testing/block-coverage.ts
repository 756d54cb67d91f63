import { Session, type Profiler } from 'node:inspector/promises';

const COVERED_CODE = /\/packages\/(?:media|upload-parser)\//;

/** The executed code blocks of the parsers, each with the order of magnitude of its number of runs. */
export class BlockCoverage {
  private readonly session = new Session();
  private readonly seenBlocks = new Set<string>();

  async start(): Promise<void> {
    this.session.connect();
    await this.session.post('Profiler.enable');
    await this.session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  }

  /** Returns the blocks that ran for the first time since the last call. */
  async takeNewBlocks(): Promise<Set<string>> {
    const newBlocks = new Set([...(await this.takeBlocks())].filter((block) => !this.seenBlocks.has(block)));
    for (const block of newBlocks) this.seenBlocks.add(block);
    return newBlocks;
  }

  async takeBlocks(): Promise<ReadonlySet<string>> {
    const { result } = await this.session.post('Profiler.takePreciseCoverage');
    return new Set(result.filter(({ url }) => COVERED_CODE.test(url)).flatMap(blocksOf));
  }

  close(): void {
    this.session.disconnect();
  }
}

function blocksOf({ scriptId, functions }: Profiler.ScriptCoverage): string[] {
  return functions
    .flatMap(({ ranges }) => ranges)
    .filter(({ count }) => count > 0)
    .map(({ startOffset, endOffset, count }) => `${scriptId}:${startOffset}:${endOffset}:${magnitudeOf(count)}`);
}

function magnitudeOf(count: number): number {
  return Math.floor(Math.log2(count) / 4);
}
