import type { CdnPurger, ImageProcessor, MediaFacts, PageRenderer } from '@back-office/media';
import type { RefundGateway, RefundRequest } from '@back-office/proforma';

/** Calls to the adapters below. */
export const seen = {
  purged: [] as string[],
  refunds: [] as RefundRequest[],
  closed: [] as string[],
};

/** Another copy of the class, as in an adapter with its own packages. */
class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile';
}

async function close(name: string): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 50));
  seen.closed.push(name);
}

/** Encodes an image as its size; an image 13 pixels wide is broken. */
export function openImageProcessor(): ImageProcessor {
  return {
    can: () => true,
    async process(_, image, outputs) {
      if (image.width === 13) throw new UnreadableFile('An unlucky image');
      return outputs.map(({ width }) => {
        const height = Math.round((image.height * width) / image.width);
        return { mime: 'image/webp', width, height, bytes: Buffer.from(`${width}x${height}`) };
      });
    },
    close: () => close('images'),
  };
}

/** Every document has one page. */
export function openPageRenderer(): PageRenderer {
  return {
    async *pages() {
      yield { page: 1, width: 30, height: 20, bytes: Buffer.from('a page') };
    },
    close: () => close('pages'),
  };
}

export function openMediaFacts(): MediaFacts {
  return { sizeOf: async () => ({ width: 1_234, height: 567 }), close: () => close('facts') };
}

export function openCdnPurger(): CdnPurger & { close(): Promise<void> } {
  return {
    isConfigured: true,
    async purge(urls) {
      seen.purged.push(...urls);
      return true;
    },
    close: () => close('purger'),
  };
}

export function openRefundGateway(): RefundGateway & { close(): Promise<void> } {
  return {
    async refund(request) {
      seen.refunds.push(request);
      return 'refunded';
    },
    close: () => close('refunds'),
  };
}
