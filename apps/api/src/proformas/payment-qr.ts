import { toBuffer, toString } from 'qrcode';

export const QR_MEDIA = ['image/png', 'image/svg+xml'] as const;
export type QrMedia = (typeof QR_MEDIA)[number];

/** As banks' apps read it from paper and screens: medium error correction, a quiet zone of four modules. */
const DRAWN = { errorCorrectionLevel: 'M', margin: 4 } as const;
const PIXELS_PER_MODULE = 4;

/**
 * Drawn in the request's own thread, so it has to be quick: grey, unfiltered and lightly packed takes a third of the
 * time of the usual colours. Made anew for each picture: the library writes into it.
 */
const quick = () => ({ colorType: 0, filterType: 0, deflateLevel: 3 }) as object;

/** The QR code of a text as an image. */
export function drawQr(text: string, media: QrMedia): Promise<Buffer | string> {
  return media === 'image/png'
    ? toBuffer(text, { ...DRAWN, type: 'png', scale: PIXELS_PER_MODULE, rendererOpts: quick() })
    : toString(text, { ...DRAWN, type: 'svg' });
}
