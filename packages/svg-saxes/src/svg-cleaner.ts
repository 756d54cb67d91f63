import { UnreadableFile } from '@back-office/media';
import { SaxesParser, type SaxesAttributeNS, type SaxesTagNS } from 'saxes';
import { DrawingCost } from './drawing-cost.js';
import {
  ANIMATED,
  ATTRIBUTES,
  DRAWING_REFERENCES,
  ELEMENTS,
  FREE_TEXT,
  ONLY_TEXT,
  SVG,
  WITH_PICTURE,
  WITH_TEXT,
  XLINK,
  XML,
} from './names.js';
import { pictureIn, type Picture } from './pictures.js';
import { harmlessDeclarations, harmlessRules, idsIn, isHarmlessValue } from './styles.js';

const DEEPEST = 256;
const MOST_ELEMENTS = 200_000;
const MOST_ATTRIBUTES = 200;
const MOST_CLASSES = 1_000;
const MOST_RULES = 20_000;

/** What becomes of the text in an element that is open. */
type Inside = 'drawing' | 'text' | 'only text' | 'style';
type Value = string | Picture;

interface OpenElement {
  readonly name: string;
  readonly inside: Inside;
}

/** Reads a drawing as it comes, and writes what of it is known to be harmless. */
export class SvgCleaner {
  private readonly parser = new SaxesParser({ xmlns: true, position: false, ...XML_1_0 });
  private readonly cost = new DrawingCost();
  private readonly open: OpenElement[] = [];
  /** How many elements are open that are left out. */
  private skipped = 0;
  private elements = 0;
  private attributes = 0;
  private isTagOpen = false;
  private sheet = '';
  private rules = 0;
  private pieces: Value[] = [];

  constructor() {
    this.parser.on('error', ({ message }) => {
      throw new UnreadableFile(message);
    });
    this.parser.on('doctype', (doctype) => {
      if (doctype.includes('[')) throw new UnreadableFile('A document type with declarations');
    });
    this.parser.on('opentagstart', () => (this.attributes = 0));
    this.parser.on('attribute', () => this.countAttribute());
    this.parser.on('opentag', (tag) => this.enter(tag));
    this.parser.on('text', (text) => this.write(text));
    this.parser.on('cdata', (text) => this.write(text));
    this.parser.on('closetag', () => this.leave());
  }

  /** Throws {@link UnreadableFile} as soon as it is no drawing, or one that goes beyond the bounds. */
  give(characters: string): void {
    this.parser.write(characters);
  }

  end(): void {
    this.parser.close();
    this.cost.check();
  }

  /** What was written since it was last asked for. */
  taken(): Value[] {
    const pieces = this.pieces;
    this.pieces = [];
    return pieces;
  }

  private countAttribute(): void {
    this.attributes += 1;
    if (this.attributes > MOST_ATTRIBUTES) throw new UnreadableFile('An element of too many attributes');
  }

  private enter(tag: SaxesTagNS): void {
    this.elements += 1;
    if (this.elements > MOST_ELEMENTS) throw new UnreadableFile('A drawing of too many elements');
    if (this.open.length + this.skipped >= DEEPEST) throw new UnreadableFile('A drawing that is too deep');
    const around = this.open.at(-1);
    const isRoot = around === undefined;
    if (isRoot && !isDrawing(tag)) throw new UnreadableFile('No drawing');
    if (!isRoot && (this.skipped > 0 || !mayStandIn(around.inside, tag))) this.skipped += 1;
    else this.begin(tag, isRoot, around?.inside ?? 'drawing');
  }

  private begin(tag: SaxesTagNS, isRoot: boolean, around: Inside): void {
    const attributes = harmlessAttributes(tag);
    this.closeTag();
    this.put(`<${tag.local}`);
    if (isRoot) this.put(` xmlns="${SVG}" xmlns:xlink="${XLINK}"`);
    for (const [name, value] of attributes)
      this.put(` ${name}="`, typeof value === 'string' ? escaped(value) : value, '"');
    this.isTagOpen = true;
    this.open.push({ name: tag.local, inside: insideOf(tag.local, around) });
    this.countCost(tag.local, attributes);
  }

  private countCost(name: string, attributes: ReadonlyMap<string, Value>): void {
    const texts = [...attributes].filter((each): each is [string, string] => typeof each[1] === 'string');
    const references = texts.flatMap(([attribute, value]) => {
      if (!attribute.endsWith('href')) return FREE_TEXT.has(attribute) ? [] : idsIn(value);
      return DRAWING_REFERENCES.has(name) ? [value.slice(1)] : [];
    });
    const [id, classes] = [attributes.get('id'), attributes.get('class')];
    this.cost.enter(
      typeof id === 'string' ? id : undefined,
      typeof classes === 'string' ? classNames(classes) : [],
      references,
    );
  }

  private write(text: string): void {
    const inside = this.skipped > 0 ? 'drawing' : this.open.at(-1)?.inside;
    if (inside === 'style') this.sheet += text;
    else if (inside === 'text' || inside === 'only text') {
      this.closeTag();
      this.put(escaped(text));
    }
  }

  private leave(): void {
    if (this.skipped > 0) {
      this.skipped -= 1;
      return;
    }
    const element = this.open.pop();
    if (element === undefined) return;
    if (element.inside === 'style') this.writeSheet();
    this.put(this.isTagOpen ? '/>' : `</${element.name}>`);
    this.isTagOpen = false;
    this.cost.leave();
  }

  private writeSheet(): void {
    const rules = harmlessRules(this.sheet);
    this.sheet = '';
    this.rules += rules.length;
    if (this.rules > MOST_RULES) throw new UnreadableFile('A drawing of too many rules');
    if (rules.length === 0) return;
    this.closeTag();
    for (const { selector, declarations } of rules) {
      this.cost.style(selector, idsIn(declarations));
      this.put(escaped(`${selector}{${declarations}}`));
    }
  }

  private put(...values: readonly Value[]): void {
    for (const value of values) {
      const last = this.pieces.at(-1);
      if (typeof value === 'string' && typeof last === 'string') this.pieces[this.pieces.length - 1] = last + value;
      else this.pieces.push(value);
    }
  }

  private closeTag(): void {
    if (this.isTagOpen) this.put('>');
    this.isTagOpen = false;
  }
}

/** Later versions allow characters that the written document, which says nothing of its version, must not hold. */
const XML_1_0 = { forceXMLVersion: true, defaultXMLVersion: '1.0' } as const;

function classNames(value: string): string[] {
  const names = value.split(/\s+/, MOST_CLASSES + 1);
  if (names.length > MOST_CLASSES) throw new UnreadableFile('An element of too many classes');
  return names.filter((name) => name !== '');
}

function isDrawing({ uri, local }: SaxesTagNS): boolean {
  return uri === SVG && local === 'svg';
}

function mayStandIn(around: Inside, { uri, local, attributes }: SaxesTagNS): boolean {
  if (uri !== SVG || !ELEMENTS.has(local) || around === 'style' || around === 'only text') return false;
  if (local !== 'style') return true;
  const [type, media] = [attributes['type']?.value ?? '', attributes['media']?.value ?? ''];
  return ['', 'text/css'].includes(type.trim().toLowerCase()) && ['', 'all', 'screen'].includes(media.trim());
}

function insideOf(name: string, around: Inside): Inside {
  if (name === 'style') return 'style';
  if (ONLY_TEXT.has(name)) return 'only text';
  return WITH_TEXT.has(name) || (name === 'a' && around === 'text') ? 'text' : 'drawing';
}

function harmlessAttributes(tag: SaxesTagNS): Map<string, Value> {
  const kept = new Map<string, Value>();
  for (const attribute of Object.values(tag.attributes)) {
    const value = harmlessValue(tag.local, attribute);
    if (value !== undefined) kept.set(nameOf(attribute), value);
  }
  // Where both stand, viewers take the newer one.
  if (kept.has('href')) kept.delete('xlink:href');
  return kept;
}

function nameOf({ uri, local }: SaxesAttributeNS): string {
  return uri === XLINK ? `xlink:${local}` : uri === XML ? `xml:${local}` : local;
}

function harmlessValue(element: string, { uri, local, value }: SaxesAttributeNS): Value | undefined {
  if (uri === XML) return local === 'lang' || (local === 'space' && value === 'preserve') ? value : undefined;
  if ((uri === '' || uri === XLINK) && local === 'href') return harmlessReference(element, value);
  if (uri !== '') return undefined;
  if (local === 'style') return harmlessDeclarations(value) || undefined;
  if (local === 'attributeName') return ANIMATED.has(value) ? value : undefined;
  if (FREE_TEXT.has(local)) return value;
  return ATTRIBUTES.has(local) && isHarmlessValue(value) ? value : undefined;
}

function harmlessReference(element: string, value: string): Value | undefined {
  const address = value.trim();
  if (address.startsWith('#')) return address;
  return WITH_PICTURE.has(element) ? pictureIn(address) : undefined;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
};

function escaped(text: string): string {
  return text.replaceAll(/[&<>"\t\n\r]/g, (character) => ESCAPES[character] ?? character);
}
