import type { SeededRandom } from './seeded-random.js';

const MAX_FILE_BYTES = 65_536;
const MAX_CHANGES = 6;
const MAX_REPEATS = 300;
const MAX_PART_BYTES = 64;
/** Boundary values of size fields: sizes of headers, limits of integers, and their neighbours. */
const BOUNDARY_VALUES = [
  0, 1, 2, 7, 8, 9, 12, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0xffff, 0x1_0000, 0x7fff_ffff, 0xffff_ffff,
];
const NUMBER_SIZES = [1, 2, 3, 4, 8];
const TEXT_PARTS = [
  '(',
  ')',
  '{',
  '}',
  '<',
  '>',
  '/>',
  '"',
  "'",
  '#',
  'url(#a)',
  '&amp;',
  '<!--',
  '<![CDATA[',
  ';',
  '*',
];

type Change = (file: Uint8Array, random: SeededRandom, seeds: readonly Uint8Array[]) => Uint8Array;

const splice = (file: Uint8Array, at: number, removed: number, added: Uint8Array): Uint8Array =>
  Buffer.concat([file.subarray(0, at), added, file.subarray(at + removed)]);

const partOf = (file: Uint8Array, random: SeededRandom): Uint8Array => {
  const at = random.below(file.length + 1);
  return file.subarray(at, at + 1 + random.below(MAX_PART_BYTES));
};

const changeByte: Change = (file, random) => {
  const changed = new Uint8Array(file);
  changed[random.below(file.length)] = random.below(0x100);
  return changed;
};

const changeNumber: Change = (file, random) => {
  const size = random.pick(NUMBER_SIZES);
  const value = BigInt(random.pick(BOUNDARY_VALUES)) & ((1n << BigInt(8 * size)) - 1n);
  const digits = Array.from({ length: size }, (_, index) => Number((value >> BigInt(8 * index)) & 0xffn));
  const number = Uint8Array.from(random.next() < 0.5 ? digits : digits.reverse());
  return splice(file, random.below(file.length), size, number);
};

const addToNumber: Change = (file, random) => {
  const changed = new Uint8Array(file);
  const at = random.below(file.length);
  changed[at] = (changed[at] ?? 0) + random.below(33) - 16;
  return changed;
};

const removePart: Change = (file, random) =>
  splice(file, random.below(file.length), 1 + random.below(MAX_PART_BYTES), new Uint8Array(0));

const truncate: Change = (file, random) => file.subarray(0, random.below(file.length + 1));

const repeatPart: Change = (file, random) => {
  const part = partOf(file, random);
  const repeats = Array.from({ length: 1 + random.below(MAX_REPEATS) }, () => part);
  return splice(file, random.below(file.length + 1), 0, Buffer.concat(repeats));
};

const movePart: Change = (file, random) => splice(file, random.below(file.length + 1), 0, partOf(file, random));

const crossOver: Change = (file, random, seeds) => {
  const other = random.pick(seeds);
  return Buffer.concat([
    file.subarray(0, random.below(file.length + 1)),
    other.subarray(random.below(other.length + 1)),
  ]);
};

const insertText: Change = (file, random) =>
  splice(file, random.below(file.length + 1), 0, Buffer.from(random.pick(TEXT_PARTS).repeat(1 + random.below(8))));

const CHANGES: readonly Change[] = [
  changeByte,
  changeByte,
  changeNumber,
  changeNumber,
  changeNumber,
  addToNumber,
  removePart,
  truncate,
  repeatPart,
  movePart,
  crossOver,
  insertText,
];

/** Returns a changed copy of one of the seeds, at most 64 kB. */
export function mutate(seeds: readonly Uint8Array[], random: SeededRandom): Uint8Array {
  let file = random.pick(seeds);
  for (let remaining = 1 + random.below(MAX_CHANGES); remaining > 0 && file.length > 0; remaining -= 1)
    file = random.pick(CHANGES)(file, random, seeds).subarray(0, MAX_FILE_BYTES);
  return Uint8Array.from(file);
}
