import { foldedForSearch, foldedName } from './folding.js';

describe('foldedForSearch', () => {
  it.each([
    ['Čizma  ЗИМА ', 'cizma zima'],
    ['👟 Tenisice', '👟 tenisice'],
    ['Zima: ❄️ 20％', 'zima: ❄ 20％'],
    ['snake_case 100% čaj', 'snake_case 100% caj'],
    ['№ 5 – “Ćup”', 'no 5 - "cup"'],
  ])('folds %j to %j', (text, folded) => {
    expect(foldedForSearch(text)).toBe(folded);
  });

  it('adds no wildcards and no names of symbols', () => {
    const added: string[] = [];
    for (let code = 0x80; code <= 0x1_ffff; code += 1) {
      const character = String.fromCodePoint(code);
      if (/[%_]|:.+:/.test(foldedForSearch(`a${character}b`))) added.push(character);
    }
    expect(added).toEqual([]);
  });
});

describe('foldedName', () => {
  it('truncates at whole characters', () => {
    const name = `${'ﷺ'.repeat(34)}${'x'.repeat(13)}👟`;
    expect(foldedForSearch(name)).toHaveLength(1_001);
    expect(foldedName(name)).toHaveLength(999);
  });
});
