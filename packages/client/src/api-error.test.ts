import { ApiError, parseErrors } from './api-error.js';

describe('the errors of a response body', () => {
  it.each([
    [
      'fields and areas',
      { errors: { email: ["can't be blank", 'is invalid'], Products: ['API.Products.MissingVat'] } },
      [
        { message: "can't be blank", field: 'email' },
        { message: 'is invalid', field: 'email' },
        { key: 'API.Products.MissingVat', message: 'API.Products.MissingVat', field: 'Products' },
      ],
    ],
    [
      'a token',
      { errors: { token: 'API.Tokens.Expired' } },
      [{ key: 'API.Tokens.Expired', message: 'API.Tokens.Expired', field: 'token' }],
    ],
    ['an unreadable request', { errors: { detail: 'Bad Request' } }, [{ message: 'Bad Request' }]],
    [
      'an imported order',
      { error: 'API.Order.OrderAlreadyExists' },
      [{ key: 'API.Order.OrderAlreadyExists', message: 'API.Order.OrderAlreadyExists' }],
    ],
    ['a failure of the service', { message: 'Internal server error' }, [{ message: 'Internal server error' }]],
    [
      'values of invalid types',
      { errors: { Utils: ['API.Utils.WrongDataType'], fields: [{ field: 'qty', expected_type: 'integer' }] } },
      [
        {
          key: 'API.Utils.WrongDataType',
          message: 'API.Utils.WrongDataType',
          field: 'Utils',
          details: [{ field: 'qty', expected_type: 'integer' }],
        },
      ],
    ],
    ['a field named fields', { errors: { fields: ['is invalid'] } }, [{ message: 'is invalid', field: 'fields' }]],
    [
      'a stock parameter',
      { errors: { Stocks: ['Stocks.InvalidProductId'] } },
      [{ key: 'Stocks.InvalidProductId', message: 'Stocks.InvalidProductId', field: 'Stocks' }],
    ],
    ['an unknown path', [], []],
    ['an empty body', undefined, []],
    ['text', '<h1>Bad gateway</h1>', []],
  ])('are read from %s', (_, body, errors) => {
    expect(parseErrors(body)).toEqual(errors);
  });

  it('are read from a problem document', () => {
    const errors = [
      {
        key: 'API.Stocks.VariantNotFound',
        message: 'No such variant',
        pointer: '/stocks/3/co~1de',
        row: 3,
        identifiers: { code: 'X' },
        details: { available: 2 },
      },
      { key: 'API.Stocks.Other', message: 'Other', pointer: '/stocks/4', row: null, identifiers: null, details: null },
    ];
    expect(parseErrors({ type: 'about:blank', title: 'Unprocessable Content', status: 422, errors })).toEqual([
      { ...errors[0], field: 'co/de' },
      { key: 'API.Stocks.Other', message: 'Other', pointer: '/stocks/4', field: 'stocks' },
    ]);
    expect(parseErrors({ title: 'Bad Request', detail: 'The body is no JSON' })).toEqual([
      { message: 'The body is no JSON' },
    ]);
  });
});

describe('an ApiError', () => {
  it('has the first error, the status and the id of the request', () => {
    const response = new Response(null, { status: 422, headers: { 'X-Request-Id': 'r-1' } });
    const error = new ApiError(response, {
      errors: [{ key: 'API.A.B', message: 'Text', pointer: '/rows/0/qty', row: 0 }],
    });
    expect(error).toMatchObject({
      name: 'ApiError',
      status: 422,
      message: 'Text',
      key: 'API.A.B',
      field: 'qty',
      row: 0,
      pointer: '/rows/0/qty',
      requestId: 'r-1',
    });
  });

  it('has the status text as its message if the body contains no error', () => {
    expect(new ApiError(new Response(null, { status: 404, statusText: 'Not Found' }), undefined).message).toBe(
      'Not Found',
    );
    expect(new ApiError(new Response(null, { status: 404 }), undefined).message).toBe('Status 404');
  });

  it('has the status 0 and the cause if there is no response', () => {
    const cause = new TypeError('fetch failed');
    expect(new ApiError(undefined, undefined, cause)).toMatchObject({
      status: 0,
      message: 'No response: fetch failed',
      cause,
    });
  });
});
