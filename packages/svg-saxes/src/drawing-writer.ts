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
  WITH_IMAGE,
  WITH_TEXT,
  XLINK,
  XML,
} from './allow-lists.js';
import { parseDataUrl, type EmbeddedImage } from './embedded-images.js';
import { safeDeclarations, safeRules, idsIn, isSafeValue } from './styles.js';

const MAX_DEPTH = 256;
const MAX_ELEMENTS = 200_000;
const MAX_ATTRIBUTES = 200;
const MAX_CLASSES = 1_000;
const MAX_RULES = 20_000;

/** How the text of an open element is handled. */
type TextMode = 'drawing' | 'text' | 'only text' | 'style';
type Value = string | EmbeddedImage;

interface OpenElement {
  readonly name: string;
  readonly mode: TextMode;
}

/** Parses a drawing as a stream and writes its allowed parts. */
export class DrawingWriter {
  private readonly parser = new SaxesParser({ xmlns: true, position: false, ...XML_1_0 });
  private readonly cost = new DrawingCost();
  private readonly open: OpenElement[] = [];
  /** Number of open elements that are skipped. */
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
      if (doctype.includes('[')) throw new UnreadableFile('A doctype with declarations');
    });
    this.parser.on('opentagstart', () => (this.attributes = 0));
    this.parser.on('attribute', () => this.countAttribute());
    this.parser.on('opentag', (tag) => this.enter(tag));
    this.parser.on('text', (text) => this.write(text));
    this.parser.on('cdata', (text) => this.write(text));
    this.parser.on('closetag', () => this.leave());
  }

  /** Throws {@link UnreadableFile} for a file that is no drawing or exceeds a limit. */
  push(characters: string): void {
    this.parser.write(characters);
  }

  end(): void {
    this.parser.close();
    this.cost.check();
  }

  /** Output since the last call. */
  takeOutput(): Value[] {
    const pieces = this.pieces;
    this.pieces = [];
    return pieces;
  }

  private countAttribute(): void {
    this.attributes += 1;
    if (this.attributes > MAX_ATTRIBUTES) throw new UnreadableFile('Too many attributes in an element');
  }

  private enter(tag: SaxesTagNS): void {
    this.elements += 1;
    if (this.elements > MAX_ELEMENTS) throw new UnreadableFile('Too many elements in a drawing');
    if (this.open.length + this.skipped >= MAX_DEPTH) throw new UnreadableFile('Elements are nested too deeply');
    const parent = this.open.at(-1);
    const isRoot = parent === undefined;
    if (isRoot && !isDrawing(tag)) throw new UnreadableFile('Not a drawing');
    if (!isRoot && (this.skipped > 0 || !isAllowedIn(parent.mode, tag))) this.skipped += 1;
    else this.begin(tag, isRoot, parent?.mode ?? 'drawing');
  }

  private begin(tag: SaxesTagNS, isRoot: boolean, parentMode: TextMode): void {
    const attributes = safeAttributes(tag);
    this.closeTag();
    this.put(`<${tag.local}`);
    if (isRoot) this.put(` xmlns="${SVG}" xmlns:xlink="${XLINK}"`);
    for (const [name, value] of attributes)
      this.put(` ${name}="`, typeof value === 'string' ? escapeXml(value) : value, '"');
    this.isTagOpen = true;
    this.open.push({ name: tag.local, mode: textModeOf(tag.local, parentMode) });
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
    const mode = this.skipped > 0 ? 'drawing' : this.open.at(-1)?.mode;
    if (mode === 'style') this.sheet += text;
    else if (mode === 'text' || mode === 'only text') {
      this.closeTag();
      this.put(escapeXml(text));
    }
  }

  private leave(): void {
    if (this.skipped > 0) {
      this.skipped -= 1;
      return;
    }
    const element = this.open.pop();
    if (element === undefined) return;
    if (element.mode === 'style') this.writeSheet();
    this.put(this.isTagOpen ? '/>' : `</${element.name}>`);
    this.isTagOpen = false;
    this.cost.leave();
  }

  private writeSheet(): void {
    const rules = safeRules(this.sheet);
    this.sheet = '';
    this.rules += rules.length;
    if (this.rules > MAX_RULES) throw new UnreadableFile('Too many style rules in a drawing');
    if (rules.length === 0) return;
    this.closeTag();
    for (const { selector, declarations } of rules) {
      this.cost.style(selector, idsIn(declarations));
      this.put(escapeXml(`${selector}{${declarations}}`));
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

/** The output has no XML version, so it must not hold characters that later versions allow. */
const XML_1_0 = { forceXMLVersion: true, defaultXMLVersion: '1.0' } as const;

function classNames(value: string): string[] {
  const names = value.split(/\s+/, MAX_CLASSES + 1);
  if (names.length > MAX_CLASSES) throw new UnreadableFile('Too many classes in an element');
  return names.filter((name) => name !== '');
}

function isDrawing({ uri, local }: SaxesTagNS): boolean {
  return uri === SVG && local === 'svg';
}

function isAllowedIn(parentMode: TextMode, { uri, local, attributes }: SaxesTagNS): boolean {
  if (uri !== SVG || !ELEMENTS.has(local) || parentMode === 'style' || parentMode === 'only text') return false;
  if (local !== 'style') return true;
  const [type, media] = [attributes['type']?.value ?? '', attributes['media']?.value ?? ''];
  return ['', 'text/css'].includes(type.trim().toLowerCase()) && ['', 'all', 'screen'].includes(media.trim());
}

function textModeOf(name: string, parentMode: TextMode): TextMode {
  if (name === 'style') return 'style';
  if (ONLY_TEXT.has(name)) return 'only text';
  return WITH_TEXT.has(name) || (name === 'a' && parentMode === 'text') ? 'text' : 'drawing';
}

function safeAttributes(tag: SaxesTagNS): Map<string, Value> {
  const kept = new Map<string, Value>();
  for (const attribute of Object.values(tag.attributes)) {
    const value = safeValue(tag.local, attribute);
    if (value !== undefined) kept.set(nameOf(attribute), value);
  }
  // Viewers prefer `href` when both are present.
  if (kept.has('href')) kept.delete('xlink:href');
  return kept;
}

function nameOf({ uri, local }: SaxesAttributeNS): string {
  return uri === XLINK ? `xlink:${local}` : uri === XML ? `xml:${local}` : local;
}

function safeValue(element: string, { uri, local, value }: SaxesAttributeNS): Value | undefined {
  if (uri === XML) return local === 'lang' || (local === 'space' && value === 'preserve') ? value : undefined;
  if ((uri === '' || uri === XLINK) && local === 'href') return safeReference(element, value);
  if (uri !== '') return undefined;
  if (local === 'style') return safeDeclarations(value) || undefined;
  if (local === 'attributeName') return ANIMATED.has(value) ? value : undefined;
  if (FREE_TEXT.has(local)) return value;
  return ATTRIBUTES.has(local) && isSafeValue(value) ? value : undefined;
}

function safeReference(element: string, value: string): Value | undefined {
  const url = value.trim();
  if (url.startsWith('#')) return url;
  return WITH_IMAGE.has(element) ? parseDataUrl(url) : undefined;
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

function escapeXml(text: string): string {
  return text.replaceAll(/[&<>"\t\n\r]/g, (character) => ESCAPES[character] ?? character);
}
