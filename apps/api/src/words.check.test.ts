import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  anchorsOf,
  commentsOf,
  countWords,
  declaredNamesOf,
  paragraphsOf,
  relativeLinksOf,
  sentencesOf,
  wordsOf,
} from './testing/prose.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const MAX_WORDS_IN_A_SENTENCE = 30;
const SUPERLATIVE_CONSTANT = /^(?:MOST|LEAST|LONGEST|SHORTEST|LARGEST|SMALLEST|HIGHEST|LOWEST|FEWEST)_/;

const read = (file: string): string => readFileSync(`${ROOT}${file}`, 'utf8');
const listFiles = (...patterns: readonly string[]): string[] =>
  execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', ...patterns], {
    cwd: ROOT,
    encoding: 'utf8',
  })
    .split('\n')
    .filter((file) => file !== '' && existsSync(`${ROOT}${file}`));

/** The types of the client are generated, so they are not checked. */
const SOURCES = listFiles('*.ts', '*.mjs', '*.cjs').filter((file) => file !== 'packages/client/src/schema.ts');
/** The notices quote licences of other projects, so they are not checked. */
const PAGES = listFiles('*.md').filter((page) => page !== 'THIRD_PARTY_NOTICES.md');

/** Words that `docs/language.md` forbids in names, with their replacements. */
function forbiddenWords(): Map<string, string> {
  const [, table = ''] = read('docs/language.md').split('## Words not used in names');
  const rows = [...table.matchAll(/^\| `(\w+)` +\| (.+?) +\|$/gm)];
  return new Map(rows.map(([, word = '', instead = '']) => [word, instead]));
}

function termsOf(page: string): string[] {
  const [table = ''] = page.split('## Words not used in names');
  const rows = table.split('\n').filter((line) => line.startsWith('| ') && !/^\| (?:term |-)/.test(line));
  return rows.map((row) => row.split('|')[1]?.trim() ?? '');
}

describe('a sentence', () => {
  const longSentences = (texts: readonly string[]): string[] =>
    texts.flatMap(sentencesOf).filter((sentence) => countWords(sentence) > MAX_WORDS_IN_A_SENTENCE);

  it.each(PAGES)('of %s has at most 30 words', (page) => {
    expect(longSentences(paragraphsOf(read(page)))).toEqual([]);
  });

  it('of a comment has at most 30 words', () => {
    const longByFile = SOURCES.map((file) => [file, longSentences(commentsOf(read(file)))] as const);
    expect(Object.fromEntries(longByFile.filter(([, sentences]) => sentences.length > 0))).toEqual({});
  });

  it('with more words is reported in prose, lists, tables and comments, but not in code', () => {
    const longSentence = `${'word '.repeat(31)}end.`;
    const page = [
      'Short.',
      '',
      `- ${longSentence}`,
      '',
      `| a | ${longSentence} |`,
      '',
      '```sh',
      longSentence,
      '```',
      '',
    ].join('\n');
    expect(longSentences(paragraphsOf(page))).toHaveLength(2);
    expect(longSentences(commentsOf(`// ${'word '.repeat(20)}\n// ${'word '.repeat(12)}\nconst a = 1;`))).toHaveLength(
      1,
    );
    expect(longSentences(commentsOf(`const a = '${longSentence}';`))).toEqual([]);
  });
});

describe('a name', () => {
  const fileByName = new Map<string, string>();
  for (const file of SOURCES) for (const name of declaredNamesOf(read(file))) fileByName.set(name, file);

  it('of a limit begins with MAX_ or MIN_', () => {
    expect([...fileByName].filter(([name]) => SUPERLATIVE_CONSTANT.test(name))).toEqual([]);
  });

  it('has no word that docs/language.md forbids', () => {
    const forbidden = forbiddenWords();
    expect(forbidden.size).toBeGreaterThan(10);
    const violations = [...fileByName].flatMap(([name, file]) =>
      wordsOf(name)
        .filter((word) => forbidden.has(word))
        .map((word) => `${name} in ${file}: ${forbidden.get(word)} instead of ${word}`),
    );
    expect(violations).toEqual([]);
  });

  it('is recognized in every kind of declaration', () => {
    const source = 'class A { #b = 1; c(d: number) {} } const e = (f: string) => f; interface G { h: 1 } type I = 1;';
    expect([...declaredNamesOf(source)].sort()).toEqual(['A', 'G', 'I', 'b', 'c', 'd', 'e', 'f', 'h']);
    expect(wordsOf('retryAfterMs')).toEqual(['retry', 'after', 'ms']);
    expect(wordsOf('MAX_TRIES')).toEqual(['max', 'tries']);
  });
});

describe('the page of the language', () => {
  it('is sorted and has each term once', () => {
    const terms = termsOf(read('docs/language.md'));
    expect(terms.length).toBeGreaterThan(40);
    expect(terms).toEqual([...new Set(terms)].sort((a, b) => a.localeCompare(b, 'en')));
  });

  it('forbids each word once, in order', () => {
    const words = [...forbiddenWords().keys()];
    expect(words).toEqual([...words].sort());
  });
});

describe('a link', () => {
  const brokenLinks = (page: string): string[] =>
    relativeLinksOf(read(page)).filter((link) => {
      const [path = '', anchor] = link.split('#');
      const target = path === '' ? page : normalize(join(dirname(page), decodeURIComponent(path)));
      if (!existsSync(`${ROOT}${target}`)) return true;
      return anchor !== undefined && target.endsWith('.md') && !anchorsOf(read(target)).has(anchor);
    });

  it.each(PAGES)('of %s leads to a file and a heading', (page) => {
    expect(brokenLinks(page)).toEqual([]);
  });

  it('is read with its anchor', () => {
    expect(relativeLinksOf('[a](b.md#c-d) [e](https://f) `[g](h)`')).toEqual(['b.md#c-d']);
    expect([...anchorsOf('## The `GET /a` call, twice\n')]).toEqual(['the-get-a-call-twice']);
  });
});

describe('a suite that a page names', () => {
  const SUITE = /`([\w/.-]+\.test\.ts)`/g;
  const suites = listFiles('*.test.ts');
  const missingSuites = (text: string): string[] =>
    [...text.matchAll(SUITE)]
      .map(([, name = '']) => name)
      .filter((name) => !suites.some((file) => file === name || file.endsWith(`/${name}`)));

  it.each(PAGES.filter((page) => page !== 'CHANGELOG.md'))('exists: %s', (page) => {
    expect(missingSuites(read(page))).toEqual([]);
  });

  it('is found by its path or its name', () => {
    const own = 'apps/api/src/words.check.test.ts';
    expect(missingSuites(`\`${own}\` \`words.check.test.ts\` \`s.check.test.ts\` \`none.test.ts\``)).toEqual([
      's.check.test.ts',
      'none.test.ts',
    ]);
  });
});

describe('SQL', () => {
  const STATUS_LITERAL = /status_id\b[^\n$]{0,12}?(?:=|<|>|\bin \(|between)\s*\d(?! and \$\{)/;
  const sources = SOURCES.filter((file) => !/migrations\/|\.test\.ts$|^tools\/(?:bench|differential)\//.test(file));

  it('takes the ids of statuses from the list of statuses', () => {
    expect(sources.filter((file) => STATUS_LITERAL.test(read(file)))).toEqual([]);
  });

  it('with the id of a status as a digit is found', () => {
    const texts = [
      'status_id = 3',
      'p.status_id <= 5',
      'status_id in (1, 2)',
      'order_status_id <> 3',
      'status_id between 1 and 8',
    ];
    expect(texts.filter((text) => !STATUS_LITERAL.test(text))).toEqual([]);
    expect(STATUS_LITERAL.test('status_id between 1 and ${STATUSES.length}')).toBe(false);
    expect(STATUS_LITERAL.test("status_id = ${statusId('paid')}")).toBe(false);
  });
});

describe('the changelog', () => {
  const headings = [...read('CHANGELOG.md').matchAll(/^(#+) (.+)$/gm)].map(([, level = '', text = '']) => ({
    level,
    text,
  }));

  it('has a heading per version, newest first', () => {
    const [unreleased, ...versions] = headings.filter(({ level }) => level === '##').map(({ text }) => text);
    expect(unreleased).toBe('[Unreleased]');
    expect(versions.length).toBeGreaterThan(0);
    for (const version of versions) expect(version).toMatch(/^\[\d+\.\d+\.\d+\] - \d{4}-\d{2}-\d{2}$/);
    const dates = versions.map((version) => version.slice(-10));
    expect(dates).toEqual([...dates].sort().reverse());
  });

  it('groups changes as Keep a Changelog does', () => {
    const groups = headings.filter(({ level }) => level === '###').map(({ text }) => text);
    const groupNames = new Set(['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security']);
    expect(groups.filter((group) => !groupNames.has(group))).toEqual([]);
  });

  it('has one line per change', () => {
    const lines = read('CHANGELOG.md')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    expect(lines.slice(1).filter((line) => !line.startsWith('- '))).toEqual([]);
  });
});
