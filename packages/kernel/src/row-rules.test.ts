import { checkImageUrlField, checkUrlField } from './row-rules.js';

const MAX_LENGTH = 2_048;

describe('checkUrlField', () => {
  it.each([
    'https://img.example/a.jpg',
    '/media/a.jpg',
    'a.jpg',
    'javascript',
    'a/javascript:b',
    'data:image/png;base64,AA==',
    undefined,
  ])('accepts %j', (url) => {
    expect(checkUrlField(url, MAX_LENGTH, false)).toBeUndefined();
  });

  it.each([
    'javascript:alert(1)',
    ' JavaScript:alert(1)',
    'java\tscript\n:alert(1)',
    '\u0001vbscript:x',
    'data:text/html,<script>',
    'data:,x',
  ])('refuses %j, which runs a script', (url) => {
    expect(checkUrlField(url, MAX_LENGTH, false)).toBe('is invalid');
  });

  it('refuses a value that is not a text, is blank or is too long', () => {
    expect(checkUrlField(5, MAX_LENGTH, true)).toBe('malformed');
    expect(checkUrlField(' ', MAX_LENGTH, true)).toBe("can't be blank");
    expect(checkUrlField('x'.repeat(MAX_LENGTH + 1), MAX_LENGTH, true)).toBe('is too long');
  });
});

describe('checkImageUrlField', () => {
  it.each([
    'https://img.example:8080/a.jpg?b=c@d',
    'https://[2001:db8::1]/a.jpg',
    '//img.example/a.jpg',
    '/media/a b.jpg',
    'photo 12:30.jpg',
    'data:image/png;base64,AA==',
    undefined,
  ])('accepts %j', (url) => {
    expect(checkImageUrlField(url, MAX_LENGTH, false)).toBeUndefined();
  });

  it.each([
    'javascript:alert(1)',
    'file:///etc/passwd',
    ' FTP://img.example/a.jpg',
    'https://user:password@img.example/a.jpg',
    'https:/user@img.example/a.jpg',
  ])('refuses %j', (url) => {
    expect(checkImageUrlField(url, MAX_LENGTH, false)).toBe('is invalid');
  });
});
