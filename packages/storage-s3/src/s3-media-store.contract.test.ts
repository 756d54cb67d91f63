import { runnerOf } from '@back-office/kernel/testing';
import { mediaStoreContract } from '@back-office/media/testing';
import { ciphers, onS3rver } from '../testing/on-s3rver.js';

beforeAll(ciphers.replace);
afterAll(ciphers.restore);

describe('S3MediaStore', () => {
  mediaStoreContract(runnerOf(globalThis), onS3rver);
});
