import { findIsoBox, isoBoxes, type IsoBox } from '../formats/iso-boxes.js';
import { u16, u32 } from '../formats/octets.js';
import { isoBrands } from './raster-types.js';
import type { UnrotatedFacts } from './unrotated-facts.js';

const VERSION_SIZE = 4;
const ROTATED_BY_90 = 6;

export function avifFacts(head: Uint8Array): UnrotatedFacts | undefined {
  const meta = findIsoBox(head, 0, Infinity, 'meta');
  if (meta === undefined || meta.to > head.length) return undefined;
  const boxIn = (box: IsoBox | undefined, type: string): IsoBox | undefined =>
    box && findIsoBox(head, box === meta ? box.from + VERSION_SIZE : box.from, box.to, type);
  const [primaryBox, propertiesBox] = [boxIn(meta, 'pitm'), boxIn(meta, 'iprp')];
  const [container, associations] = [boxIn(propertiesBox, 'ipco'), boxIn(propertiesBox, 'ipma')];
  if (primaryBox === undefined || container === undefined || associations === undefined) return undefined;
  const sharedProperties = [...isoBoxes(head, container.from, container.to)];
  const imageProperties = propertyIndexesOf(head, associations, numberAfterVersion(head, primaryBox)).map(
    (index) => sharedProperties[index - 1],
  );
  const size = imageProperties.find((property) => property?.type === 'ispe');
  const rotation = imageProperties.find((property) => property?.type === 'irot');
  if (size === undefined) return undefined;
  return {
    width: u32(head, size.from + VERSION_SIZE),
    height: u32(head, size.from + VERSION_SIZE + 4),
    animated: isoBrands(head)?.includes('avis') === true,
    orientation: rotation && (head[rotation.from] ?? 0) % 2 === 1 ? ROTATED_BY_90 : 1,
  };
}

function numberAfterVersion(head: Uint8Array, { from }: IsoBox): number {
  return head[from] === 0 ? u16(head, from + VERSION_SIZE) : u32(head, from + VERSION_SIZE);
}

/** Returns the indexes of the item's properties, counted from 1. */
function propertyIndexesOf(head: Uint8Array, { from, to }: IsoBox, item: number): readonly number[] {
  const idSize = head[from] === 0 ? 2 : 4;
  const size = (head[from + 3] ?? 0) & 1 ? 2 : 1;
  let at = from + 8;
  while (at + idSize < to) {
    const id = idSize === 2 ? u16(head, at) : u32(head, at);
    const first = at + idSize + 1;
    const end = first + (head[first - 1] ?? 0) * size;
    if (id === item) return [...indexesIn(head, first, end, size)];
    at = end;
  }
  return [];
}

/** Masks the highest bit, which marks a property as essential. */
function* indexesIn(head: Uint8Array, from: number, to: number, size: 1 | 2): Generator<number> {
  for (let at = from; at < to; at += size) yield size === 2 ? u16(head, at) & 0x7fff : (head[at] ?? 0) & 0x7f;
}
