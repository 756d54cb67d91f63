import { getMetadataStorage } from 'class-validator';
import { ok } from './answer.js';
import { buildOpenApiDocument } from './openapi.js';
import { Length } from './request-fields.js';
import { route, type Route } from './route.js';
import { record } from './shapes.js';

const getRoute = (path: string): Route =>
  route({
    method: 'get',
    path,
    caller: 'app',
    scope: 'catalogue:read',
    summary: '',
    answers: { 200: record({}) },
    handle: async () => ok({}),
  });

/** All suites of a Jest worker share this storage of the decorators. */
const { validationMetadatas } = getMetadataStorage() as unknown as { validationMetadatas: Map<object, unknown> };
const addedClasses: object[] = [];
afterAll(() => addedClasses.forEach((body) => validationMetadatas.delete(body)));

const addNoteBody = (): void => {
  class Note {
    @Length(1, 255)
    text!: string;
  }
  addedClasses.push(Note);
};

describe('the API reference', () => {
  it('has every route', () => {
    const { paths } = buildOpenApiDocument([getRoute('/orders'), getRoute('/orders/:id')], '1') as { paths: object };
    expect(Object.keys(paths)).toEqual(['/api/v2/orders', '/api/v2/orders/{id}']);
  });

  it('refuses two routes with one method and path', () => {
    expect(() => buildOpenApiDocument([getRoute('/orders'), getRoute('/orders')], '1')).toThrow('get /api/v2/orders');
  });

  it('refuses a route that belongs to no area', () => {
    expect(() => buildOpenApiDocument([getRoute('/notes')], '1')).toThrow(
      'No area in openapi-areas.ts has the path /notes',
    );
  });

  it('refuses two request bodies with one name', () => {
    addNoteBody();
    expect(() => buildOpenApiDocument([getRoute('/orders')], '1')).not.toThrow();
    addNoteBody();
    expect(() => buildOpenApiDocument([getRoute('/orders')], '1')).toThrow('named Note');
  });
});
