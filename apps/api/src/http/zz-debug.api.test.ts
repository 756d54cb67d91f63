import { testApi } from '../testing/test-api.js';
it('x', async () => {
  const api = await testApi();
  const c = await api.app();
  for (const t of [{ sr: { a: 'b' } }, { sr: { constructor: 'b' } }, { constructor: { a: 'b' } }])
    process.stdout.write((await c.patch('/app/settings', { translations: t })).text + '\n');
  await api.close();
});
