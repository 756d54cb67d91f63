import { readCorpus } from './testing/corpus.js';
import { checkMetadata, FUZZ_TARGETS, IMAGES_WITH_LOCATION } from './testing/fuzz-targets.js';
import { fuzz } from './testing/fuzz.js';
import { SeededRandom } from './testing/seeded-random.js';

const FILES_PER_PARSER = 400;
const SEED = 1;

describe.each(FUZZ_TARGETS)('the parser of $name', (target) => {
  it('fulfils its invariants for mutated files', async () => {
    const { executions, findings } = await fuzz(target, {
      random: new SeededRandom(SEED),
      seeds: readCorpus(target.name),
      shouldContinue: (count) => count < FILES_PER_PARSER,
    });
    expect(findings.map(({ message }) => message)).toEqual([]);
    expect(executions).toBeGreaterThanOrEqual(FILES_PER_PARSER);
  });
});

describe('the check for location metadata', () => {
  it.each(Object.entries(IMAGES_WITH_LOCATION))('finds the location of %s', async (_, file) => {
    await expect(checkMetadata(file)).rejects.toThrow('no metadata');
  });
});

describe('the fuzzer', () => {
  const options = { random: new SeededRandom(SEED), seeds: [], shouldContinue: (count: number) => count < 1_000 };

  it('finds a parser that throws when a number is out of range', async () => {
    const check = async (file: Uint8Array): Promise<void> => {
      if (file[3] === 0xff) throw new Error('out of range');
    };
    const { findings } = await fuzz({ name: 'broken', seeds: [new Uint8Array(8)], check }, options);
    expect(findings[0]?.message).toContain('out of range');
    expect(findings[0]?.file[3]).toBe(0xff);
  });

  it('generates the same files for the same seed', async () => {
    const filesOf = async (seed: number): Promise<Uint8Array[]> => {
      const files: Uint8Array[] = [];
      const check = async (file: Uint8Array): Promise<void> => void files.push(file);
      const shouldContinue = (count: number): boolean => count < 50;
      await fuzz(
        { name: 'any', seeds: [new Uint8Array(8)], check },
        { ...options, shouldContinue, random: new SeededRandom(seed) },
      );
      return files;
    };
    expect(await filesOf(1)).toEqual(await filesOf(1));
    expect(await filesOf(1)).not.toEqual(await filesOf(2));
  });
});
