import { UnreadableFile } from '@back-office/media';
import { SaxesParser, type SaxesAttributeNS, type SaxesTagNS } from 'saxes';
import { DrawingCost } from './drawing-cost.js';
import {
  ANIMATED_ATTRIBUTES,
  ATTRIBUTES,
  REFERENCING_ELEMENTS,
  ELEMENTS,
  FREE_TEXT_ATTRIBUTES,
  TEXT_ONLY_ELEMENTS,
  SVG,
  IMAGE_ELEMENTS,
  TEXT_ELEMENTS,
  XLINK,
  XML,
} from './allow-lists.js';
import { parseDataUrl, type EmbeddedImage } from './embedded-images.js';
import { filterDeclarations, filterRules, idsIn, isSafeValue } from './styles.js';

const MAX_DEPTH = 256;
const MAX_ELEMENTS = 200_000;
const MAX_ATTRIBUTES = 200;
const MAX_CLASSES = 1_000;
const MAX_RULES = 20_000;

type TextMode = 'drawing' | 'text' | 'only text' | 'style';
type Value = string | EmbeddedImage;

interface OpenElement {
  readonly name: string;
  readonly mode: TextMode;
}

export class DrawingWriter {
  private readonly parser = new SaxesParser({ xmlns: true, position: false, ...XML_1_0 });
  private readonly cost = new DrawingCost();
  private readonly openElements: OpenElement[] = [];
  private skippedDepth = 0;
  private elementCount = 0;
  private attributeCount = 0;
  private isTagOpen = false;
  private styleSheet = '';
  private ruleCount = 0;
  private pieces: Value[] = [];

  constructor() {
    this.parser.on('error', ({ message }) => {
      throw new UnreadableFile(message);
    });
    this.parser.on('doctype', (doctype) => {
      if (doctype.includes('[')) throw new UnreadableFile('A doctype with declarations');
    });
    this.parser.on('opentagstart', () => (this.attributeCount = 0));
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

  takeOutput(): Value[] {
    const pieces = this.pieces;
    this.pieces = [];
    return pieces;
  }

  private countAttribute(): void {
    this.attributeCount += 1;
    if (this.attributeCount > MAX_ATTRIBUTES) throw new UnreadableFile('Too many attributes in an element');
  }

  private enter(tag: SaxesTagNS): void {
    this.elementCount += 1;
    if (this.elementCount > MAX_ELEMENTS) throw new UnreadableFile('Too many elements in a drawing');
    if (this.openElements.length + this.skippedDepth >= MAX_DEPTH)
      throw new UnreadableFile('Elements are nested too deeply');
    const parent = this.openElements.at(-1);
    const isRoot = parent === undefined;
    if (isRoot && !isDrawing(tag)) throw new UnreadableFile('Not a drawing');
    if (!isRoot && (this.skippedDepth > 0 || !isAllowedIn(parent.mode, tag))) this.skippedDepth += 1;
    else this.beginElement(tag, isRoot, parent?.mode ?? 'drawing');
  }

  private beginElement(tag: SaxesTagNS, isRoot: boolean, parentMode: TextMode): void {
    const attributes = filterAttributes(tag);
    this.closeTag();
    this.append(`<${tag.local}`);
    if (isRoot) this.append(` xmlns="${SVG}" xmlns:xlink="${XLINK}"`);
    for (const [name, value] of attributes)
      this.append(` ${name}="`, typeof value === 'string' ? escapeXml(value) : value, '"');
    this.isTagOpen = true;
    this.openElements.push({ name: tag.local, mode: textModeOf(tag.local, parentMode) });
    this.countCost(tag.local, attributes);
  }

  private countCost(name: string, attributes: ReadonlyMap<string, Value>): void {
    const texts = [...attributes].filter((entry): entry is [string, string] => typeof entry[1] === 'string');
    const references = texts.flatMap(([attribute, value]) => {
      if (!attribute.endsWith('href')) return FREE_TEXT_ATTRIBUTES.has(attribute) ? [] : idsIn(value);
      return REFERENCING_ELEMENTS.has(name) ? [value.slice(1)] : [];
    });
    const [id, classes] = [attributes.get('id'), attributes.get('class')];
    this.cost.enter(
      typeof id === 'string' ? id : undefined,
      typeof classes === 'string' ? classNames(classes) : [],
      references,
    );
  }

  private write(text: string): void {
    const mode = this.skippedDepth > 0 ? 'drawing' : this.openElements.at(-1)?.mode;
    if (mode === 'style') this.styleSheet += text;
    else if (mode === 'text' || mode === 'only text') {
      this.closeTag();
      this.append(escapeXml(text));
    }
  }

  private leave(): void {
    if (this.skippedDepth > 0) {
      this.skippedDepth -= 1;
      return;
    }
    const element = this.openElements.pop();
    if (element === undefined) return;
    if (element.mode === 'style') this.writeSheet();
    this.append(this.isTagOpen ? '/>' : `</${element.name}>`);
    this.isTagOpen = false;
    this.cost.leave();
  }

  private writeSheet(): void {
    const rules = filterRules(this.styleSheet);
    this.styleSheet = '';
    this.ruleCount += rules.length;
    if (this.ruleCount > MAX_RULES) throw new UnreadableFile('Too many style rules in a drawing');
    if (rules.length === 0) return;
    this.closeTag();
    for (const { selector, declarations } of rules) {
      this.cost.style(selector, idsIn(declarations));
      this.append(escapeXml(`${selector}{${declarations}}`));
    }
  }

  private append(...values: readonly Value[]): void {
    for (const value of values) {
      const lastPiece = this.pieces.at(-1);
      if (typeof value === 'string' && typeof lastPiece === 'string')
        this.pieces[this.pieces.length - 1] = lastPiece + value;
      else this.pieces.push(value);
    }
  }

  private closeTag(): void {
    if (this.isTagOpen) this.append('>');
    this.isTagOpen = false;
  }
}

/** The output has no XML declaration, so it must contain only characters that XML 1.0 allows. */
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
  if (TEXT_ONLY_ELEMENTS.has(name)) return 'only text';
  return TEXT_ELEMENTS.has(name) || (name === 'a' && parentMode === 'text') ? 'text' : 'drawing';
}

function filterAttributes(tag: SaxesTagNS): Map<string, Value> {
  const attributes = new Map<string, Value>();
  for (const attribute of Object.values(tag.attributes)) {
    const value = filterValue(tag.local, attribute);
    if (value !== undefined) attributes.set(nameOf(attribute), value);
  }
  // Removes `xlink:href` if both are present, because viewers prefer `href`.
  if (attributes.has('href')) attributes.delete('xlink:href');
  return attributes;
}

function nameOf({ uri, local }: SaxesAttributeNS): string {
  return uri === XLINK ? `xlink:${local}` : uri === XML ? `xml:${local}` : local;
}

function filterValue(element: string, { uri, local, value }: SaxesAttributeNS): Value | undefined {
  if (uri === XML) return local === 'lang' || (local === 'space' && value === 'preserve') ? value : undefined;
  if ((uri === '' || uri === XLINK) && local === 'href') return filterReference(element, value);
  if (uri !== '') return undefined;
  if (local === 'style') return filterDeclarations(value) || undefined;
  if (local === 'attributeName') return ANIMATED_ATTRIBUTES.has(value) ? value : undefined;
  if (FREE_TEXT_ATTRIBUTES.has(local)) return value;
  return ATTRIBUTES.has(local) && isSafeValue(value) ? value : undefined;
}

function filterReference(element: string, value: string): Value | undefined {
  const url = value.trim();
  if (url.startsWith('#')) return url;
  return IMAGE_ELEMENTS.has(element) ? parseDataUrl(url) : undefined;
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
