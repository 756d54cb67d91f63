import {
  backlogContract,
  personalRecordsContract,
  recordedChangesContract,
  recordsByIdContract,
} from '@back-office/database/testing';
import { runnerOf } from '@back-office/kernel/testing';
import { openSalesFixture } from '../../testing/open-sales-fixture.js';

describe('recorded changes in PostgreSQL', () => {
  recordedChangesContract(runnerOf(globalThis), openSalesFixture);
});

describe('personal records in PostgreSQL', () => {
  personalRecordsContract(runnerOf(globalThis), openSalesFixture);
});

describe('records by their ids in PostgreSQL', () => {
  recordsByIdContract(runnerOf(globalThis), openSalesFixture);
});

describe('the backlog in PostgreSQL', () => {
  backlogContract(runnerOf(globalThis), openSalesFixture);
});
