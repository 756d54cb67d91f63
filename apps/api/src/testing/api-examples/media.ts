import { pdfSample } from '@back-office/media/testing';
import { sharpSampleImages } from '@back-office/images-sharp/testing';
import type { Scenario } from './scenario.js';

const MISSING = '/cdn/files/9999';

export async function showMedia(scenario: Scenario): Promise<void> {
  const { api, shop, examples } = scenario;
  await examples.show(shop, 'Pictures as WebP in two widths', 'put /cdn_upload_presets', {
    cdn_upload_presets: [{ name: 'products', output_format: 'webp', max_width: 1_600, rendition_widths: [400, 800] }],
  });
  await examples.refuse(shop, 'Format that does not exist', 'put /cdn_upload_presets', {
    cdn_upload_presets: [{ name: 'products', output_format: 'bmp' }],
  });
  await examples.show(shop, 'Presets of the shop', 'get /cdn_upload_presets');
  await showFolders(scenario);
  const front = await picture('tee-front.jpg');
  const file = await examples.upload(shop, 'Picture of a product', '/cdn/files', front, {
    folder: 'products',
    alt: 'T-shirt, front',
  });
  await examples.refuseUpload(shop, 'Form without a file', '/cdn/files', { folder: 'products' });
  await shop.upload(
    '/cdn/files',
    { name: 'size-chart.pdf', bytes: pdfSample({ pages: [{ width: 300, height: 200, colour: [1, 0, 0] }] }) },
    { folder: 'products' },
  );
  await api.runJobs();
  await examples.show(shop, 'A token for one folder', 'post /upload_tokens', {
    upload_token: { folder: 'products', expires_in: 600 },
  });
  const one = `/cdn/files/${file.id}`;
  await examples.show(shop, 'A processed file', `get ${one}`);
  await examples.refuse(shop, 'Unknown file', `get ${MISSING}`);
  await examples.show(shop, 'Describe a picture', 'patch /cdn/file', {
    id: file.id,
    alt: 'White T-shirt, front',
    tags: ['summer'],
  });
  await examples.refuse(shop, 'Unknown file', 'patch /cdn/file', { id: 9_999, alt: 'T-shirt' });
  await examples.show(shop, 'Move into another folder', 'patch /cdn/files/move', {
    ids: [file.id],
    folder: 'products/summer',
  });
  await examples.show(shop, 'Files of a folder', 'get /cdn/files?folder=products/summer');
  await examples.show(shop, 'Numbers of files', 'get /cdn/files/summary');
  await examples.show(shop, 'Pages of PDFs', 'get /cdn/files/pdf-renders?name=size');
  await showUsages(scenario, file);
  await showVersions(scenario, file.id);
  await showTrash(scenario, file);
}

async function picture(name: string) {
  return { name, bytes: await sharpSampleImages.still('image/jpeg', 1_200, 900), mime: 'image/jpeg' };
}

async function showFolders({ shop, examples }: Scenario): Promise<void> {
  const products = { name: 'Products', key: 'products' };
  const { id } = await examples.show(shop, 'A folder', 'post /cdn_folders', { cdn_folder: products });
  await shop.post('/cdn_folders', { cdn_folder: { name: 'Old', key: 'old' } });
  await examples.refuse(shop, 'Key in use', 'post /cdn_folders', { cdn_folder: products });
  await examples.show(shop, 'Describe a folder', 'patch /cdn/folder', { id, description: 'Pictures of products' });
  await examples.refuse(shop, 'Unknown folder', 'patch /cdn/folder', { id: 9_999, name: 'Summer' });
  await examples.show(shop, 'Tree of folders', 'get /cdn/folders');
  await examples.refuse(shop, 'Unknown folder', 'get /cdn/folders?folder=winter');
  await examples.show(shop, 'Remove a branch', 'delete /cdn/folder?folder=old');
  await examples.refuse(shop, 'Unknown folder', 'delete /cdn/folder?folder=winter');
}

async function showUsages({ shop, examples }: Scenario, { id, url }: { id: number; url: string }): Promise<void> {
  await examples.show(shop, 'Picture on the home page', 'put /cdn/usages', {
    usage: { entity_type: 'page', entity_id: 'home', label: 'Home page', fields: [{ field: 'hero', url }] },
  });
  await examples.show(shop, 'Where a file is used', `get /cdn/files/${id}/usages`);
  await shop.put('/cdn/usages', {
    usage: {
      entity_type: 'page',
      entity_id: 'sale',
      label: 'Sale',
      fields: [{ field: 'hero', url: url.replace('front', 'gone') }],
    },
  });
  await examples.show(shop, 'URLs of missing files', 'get /cdn/usages/broken');
}

async function showVersions({ api, shop, examples }: Scenario, id: number): Promise<void> {
  const one = `/cdn/files/${id}`;
  const strategy = { cache_strategy: 'version' };
  await examples.upload(shop, 'A better picture', `${one}/replace`, await picture('tee-front-2.jpg'), strategy);
  await examples.refuseUpload(shop, 'Form without a file', `${one}/replace`, strategy);
  await examples.show(shop, 'Earlier versions', `get ${one}/versions`);
  await examples.refuse(shop, 'Unknown file', `get ${MISSING}/versions`);
  await examples.show(shop, 'Back to the first version', `post ${one}/revert`, { ...strategy, version: 1 });
  await examples.refuse(shop, 'Version that does not exist', `post ${one}/revert`, { ...strategy, version: 9 });
  await examples.show(shop, 'Renditions in other widths', `post ${one}/renditions/regenerate`, {
    renditions: [320, 640],
  });
  await examples.refuse(shop, 'Unknown file', `post ${MISSING}/renditions/regenerate`);
  await api.runJobs();
  await examples.show(shop, 'Purge a version', `delete ${one}/versions/1`);
  await examples.refuse(shop, 'Version that does not exist', `delete ${one}/versions/9`);
}

async function showTrash({ shop, examples }: Scenario, file: { id: number; key: string }): Promise<void> {
  const { id, key } = file;
  await examples.refuse(shop, 'File that is not in Trash', `delete /cdn/files/${id}/purge`);
  await examples.show(shop, 'Put a file into Trash', 'delete /cdn', { file: key });
  await examples.refuse(shop, 'Unknown file', 'delete /cdn', { file: 'none.jpg' });
  await examples.show(shop, 'Files in Trash', 'get /cdn/trash');
  await examples.show(shop, 'Take a file out of Trash', `post /cdn/files/${id}/restore`);
  await examples.refuse(shop, 'Unknown file', `post ${MISSING}/restore`);
  await examples.show(shop, 'Put files into Trash', 'delete /cdn/list', { files: [{ key }, { key: 'none.jpg' }] });
  await examples.show(shop, 'Take files out of Trash', 'post /cdn/files/restore', { ids: [id, 9_999] });
  await shop.delete(`/cdn?file=${encodeURIComponent(key)}`);
  await examples.show(shop, 'Purge files', 'delete /cdn/files/purge', { ids: [9_999] });
  await examples.show(shop, 'Purge a file', `delete /cdn/files/${id}/purge`);
}
