import { EVENT_TYPES } from '@back-office/kernel';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { testApi, type TestApi } from '../testing/test-api.js';

interface Webhook {
  readonly post: {
    readonly requestBody: {
      readonly content: Readonly<Record<string, { readonly example: { readonly type: string } }>>;
    };
  };
}

let api: TestApi;
let reference: { readonly webhooks: Readonly<Record<string, Webhook>> };

beforeAll(async () => {
  api = await testApi();
  reference = (await (await fetch(`${api.origin}/openapi.json`)).json()) as typeof reference;
});
afterAll(() => api.close());

describe('the webhooks of the API reference', () => {
  it('list every event type', () => {
    expect(Object.keys(reference.webhooks)).toEqual([...EVENT_TYPES]);
  });

  it('have an example that matches their schema', () => {
    const ajv = new Ajv2020({ strict: false });
    ajv.addSchema(reference, 'reference');
    for (const type of EVENT_TYPES) {
      const example = reference.webhooks[type]?.post.requestBody.content['application/json']?.example;
      const path = `/webhooks/${type}/post/requestBody/content/application~1json/schema`;
      const validate = ajv.compile({ $ref: `reference#${path}` });
      expect([type, example?.type, validate(example), validate.errors]).toEqual([type, type, true, null]);
      expect(validate({ ...example, type: 'other' })).toBe(false);
    }
  });
});
