import { foldForSearch, foldName } from './folding.js';

describe('foldForSearch', () => {
  it.each([
    ['Čizma  ЗИМА ', 'cizma zima'],
    ['👟 Tenisice', '👟 tenisice'],
    ['Zima: ❄️ 20％', 'zima: ❄ 20％'],
    ['snake_case 100% čaj', 'snake_case 100% caj'],
    ['№ 5 – “Ćup”', 'no 5 - "cup"'],
  ])('folds %j to %j', (text, folded) => {
    expect(foldForSearch(text)).toBe(folded);
  });

  it('introduces no wildcards and no names of symbols', () => {
    const offendingCharacters: string[] = [];
    for (let code = 0x80; code <= 0x1_ffff; code += 1) {
      const character = String.fromCodePoint(code);
      if (/[%_]|:.+:/.test(foldForSearch(`a${character}b`))) offendingCharacters.push(character);
    }
    expect(offendingCharacters).toEqual([]);
  });
});

describe('foldName', () => {
  it('truncates at whole characters', () => {
    const name = `${'ﷺ'.repeat(34)}${'x'.repeat(13)}👟`;
    expect(foldForSearch(name)).toHaveLength(1_001);
    expect(foldName(name)).toHaveLength(999);
  });
});
