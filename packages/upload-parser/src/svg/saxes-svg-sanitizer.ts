import type { Size, SvgSanitizer } from '@back-office/media';
import { sanitizeSvg } from './sanitize-svg.js';
import { svgSize } from './svg-size.js';

export class SaxesSvgSanitizer implements SvgSanitizer {
  size(head: Uint8Array): Size | undefined {
    return svgSize(head);
  }

  sanitize(bytes: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
    return sanitizeSvg(bytes);
  }
}
