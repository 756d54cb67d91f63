import { getMetadataStorage } from 'class-validator';
import { ok } from './answer.js';
import { openApiDocument } from './openapi.js';
import { Text } from './request-fields.js';
import { route, type Route } from './route.js';
import { record } from './shapes.js';

const reading = (path: string): Route =>
  route({ method: 'get', path, caller: 'app', summary: '', answers: { 200: record({}) }, handle: async () => ok({}) });

/** The storage of the decorators, which all suites of a worker share. */
const { validationMetadatas } = getMetadataStorage() as unknown as { validationMetadatas: Map<object, unknown> };
const added: object[] = [];
afterAll(() => added.forEach((body) => validationMetadatas.delete(body)));

const bodyNamedNote = (): void => {
  class Note {
    @Text()
    text!: string;
  }
  added.push(Note);
};

describe('the API reference', () => {
  it('has every route', () => {
    const { paths } = openApiDocument([reading('/notes'), reading('/notes/:id')], '1') as { paths: object };
    expect(Object.keys(paths)).toEqual(['/api/v2/notes', '/api/v2/notes/{id}']);
  });

  it('cannot be made of two routes with one method and path', () => {
    expect(() => openApiDocument([reading('/notes'), reading('/notes')], '1')).toThrow('get /api/v2/notes');
  });

  it('cannot be made of two request bodies with one name', () => {
    bodyNamedNote();
    expect(() => openApiDocument([reading('/notes')], '1')).not.toThrow();
    bodyNamedNote();
    expect(() => openApiDocument([reading('/notes')], '1')).toThrow('named Note');
  });
});
