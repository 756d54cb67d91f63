import {
  backlogContract,
  personalRecordsContract,
  recordedChangesContract,
  recordsByIdContract,
} from '@back-office/database/testing';
import { runnerOf } from '@back-office/kernel/testing';
import { openSalesFixture } from '../testing/open-sales-fixture.js';

describe('recorded changes in memory', () => {
  recordedChangesContract(runnerOf(globalThis), openSalesFixture);
});

describe('personal records in memory', () => {
  personalRecordsContract(runnerOf(globalThis), openSalesFixture);
});

describe('records by their ids in memory', () => {
  recordsByIdContract(runnerOf(globalThis), openSalesFixture);
});

describe('the backlog in memory', () => {
  backlogContract(runnerOf(globalThis), openSalesFixture);
});
