import express from 'express';
import supertest from 'supertest';
import { Type } from '@sinclair/typebox';
import { announceDeprecation } from './deprecation.js';
import { buildOpenApiDocument } from './openapi.js';
import { route } from './route.js';
import { record } from './shapes.js';

const deprecated = { since: '2027-01-01', until: '2028-01-01', instead: 'use `GET /news`' };

describe('a deprecated call', () => {
  it('announces its end in the headers of every answer', async () => {
    const app = express().get('/old', announceDeprecation(deprecated), (_request, response) => {
      response.status(418).end();
    });
    const { headers } = await supertest(app).get('/old');
    expect([headers['deprecation'], headers['sunset'], headers['link']]).toEqual([
      '@1798761600',
      'Sat, 01 Jan 2028 00:00:00 GMT',
      '</docs/guides/versioning>; rel="deprecation"; type="text/html"',
    ]);
  });

  it('is marked in the API reference, with its headers and its replacement', () => {
    const old = route({
      method: 'get',
      path: '/orders',
      caller: 'app',
      scope: 'orders:read',
      summary: 'Old',
      deprecated,
      answers: { 200: record({ data: Type.String() }) },
      handle: async () => ({ status: 200 }),
    });
    const { paths } = buildOpenApiDocument(
      [old, { ...old, path: '/customers', deprecated: undefined as never }],
      '2.0.0',
    ) as {
      readonly paths: Record<string, Record<string, Record<string, any>>>; // eslint-disable-line typescript/no-explicit-any
    };
    expect(paths['/api/v2/orders']?.['get']).toMatchObject({
      deprecated: true,
      description: expect.stringContaining('ends on 2028-01-01: use `GET /news`.'),
      responses: { 200: { headers: { Deprecation: expect.anything(), Sunset: expect.anything() } } },
    });
    expect(paths['/api/v2/customers']?.['get']).not.toHaveProperty('deprecated');
  });
});
