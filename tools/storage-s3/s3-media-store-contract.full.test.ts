import { runnerOf } from '@back-office/kernel/testing';
import { mediaStoreContract } from '@back-office/media/testing';
import { ciphers, openS3rverFixture } from './on-s3rver.js';

beforeAll(ciphers.replace);
afterAll(ciphers.restore);

describe('S3MediaStore', () => {
  mediaStoreContract(runnerOf(globalThis), openS3rverFixture);
});
