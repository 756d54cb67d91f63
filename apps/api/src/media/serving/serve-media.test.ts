import express from 'express';
import supertest from 'supertest';
import { serveMedia, type ServedFiles } from './serve-media.js';

describe('a request for a public file', () => {
  it('is reported with the app of the file', async () => {
    const appIds: number[] = [];
    const app = express();
    serveMedia(app, {
      objects: {
        find: async (key) =>
          key === 'shop/a.txt'
            ? { appId: 7, content: 'a', mime: 'text/plain', size: 3, version: 1, isImmutable: true }
            : undefined,
      },
      store: { read: async () => ({ bytes: [Buffer.from('abc')] }) } as unknown as ServedFiles['store'],
      calls: { runFor: (_party, work) => work() },
      maxLookUps: 1,
      onRequest: (appId) => appIds.push(appId),
    });
    const { status, text } = await supertest(app).get('/media/shop/a.txt');
    expect({ status, text }).toEqual({ status: 200, text: 'abc' });
    await supertest(app).get('/media/shop/b.txt');
    expect(appIds).toEqual([7]);
  });
});
