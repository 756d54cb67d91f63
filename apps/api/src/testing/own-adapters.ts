import type { CdnPurger, ImageProcessor, MediaFacts, PageRenderer } from '@back-office/media';
import type { RefundGateway, RefundRequest } from '@back-office/proforma';

export const adapterCalls = {
  purged: [] as string[],
  refunds: [] as RefundRequest[],
  closed: [] as string[],
};

/** A second class of this name, as in an adapter that has its own copy of the package. */
class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile';
}

async function close(name: string): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 50));
  adapterCalls.closed.push(name);
}

/** Each output contains its size as text. Images 13 pixels wide are treated as broken. */
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
      adapterCalls.purged.push(...urls);
      return true;
    },
    close: () => close('purger'),
  };
}

export function openRefundGateway(): RefundGateway & { close(): Promise<void> } {
  return {
    async refund(request) {
      adapterCalls.refunds.push(request);
      return 'refunded';
    },
    close: () => close('refunds'),
  };
}
