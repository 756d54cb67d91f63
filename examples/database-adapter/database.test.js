import { cardsContract, customersContract } from '@back-office/customers/testing';
import { fixtureOf } from '@back-office/database/testing';
import { ManualClock, runnerOf } from '@back-office/kernel/testing';
import { expect } from 'expect';
import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as runner from 'node:test';
import { openDatabase } from './index.js';

const folder = await mkdtemp(join(tmpdir(), 'customers-'));
runner.after(() => rm(folder, { recursive: true }));
let lastFile = 0;

async function open(path = join(folder, `${(lastFile += 1)}.jsonl`)) {
  const clock = new ManualClock();
  const options = { clock, publicBase: () => 'https://media.example', isPublished: () => false };
  const { database, close } = await openDatabase({ ...options, environment: { CUSTOMERS_FILE: path } });
  return { ...fixtureOf(database, clock, close), path };
}

runner.describe('customers', () => customersContract(runnerOf(runner), () => open()));
runner.describe('cards', () => cardsContract(runnerOf(runner), () => open()));

runner.describe('the file', () => {
  const APP = 1;
  const identifiersOf = ({ id, data_part: dataPart, time_part: timePart }) => ({ id, dataPart, timePart });

  runner.it('keeps customers and cards', async () => {
    const { path, addCustomer, cards, close } = await open();
    const customer = await addCustomer(APP, { external_ref: 'crm-1' });
    const card = { barcode: 'B1', externalRef: 'R1', customer: identifiersOf(customer) };
    const stored = await cards.put(APP, card);
    await close();

    const reopened = await open(path);
    const { id, dataPart, timePart } = identifiersOf(customer);
    expect(await reopened.customers.find(APP, id, dataPart, timePart)).toEqual(customer);
    expect(await reopened.cards.put(APP, card)).toEqual({ ...stored, created: false });
    expect((await reopened.addCustomer(APP)).id).toBe(id + 1);
    await reopened.close();
  });

  runner.it('drops the incomplete line of a killed process', async () => {
    const { path, addCustomer, close } = await open();
    const { id } = await addCustomer(APP);
    await close();
    await appendFile(path, '[["customers",1,{"id":99,');
    const reopened = await open(path);
    expect((await reopened.addCustomer(APP)).id).toBe(id + 1);
    await reopened.close();
  });

  runner.it('undoes the transaction in memory when a write fails', async () => {
    const { addCustomer, customerQueries, close } = await open();
    await close();
    await expect(addCustomer(APP)).rejects.toMatchObject({ name: 'UnknownOutcome' });
    await expect(addCustomer(APP)).rejects.toMatchObject({ name: 'DatabaseUnavailable' });
    const filter = { search: undefined, externalRef: undefined };
    expect(await customerQueries.list(APP, filter, { offset: 0, limit: 9 })).toEqual({ json: '[]', end: null });
  });
});
