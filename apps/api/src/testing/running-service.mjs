/** Throws after the timeout. @param {string} origin @param {number} timeoutMs */
export async function waitUntilReady(origin, timeoutMs) {
  const endMs = Date.now() + timeoutMs;
  for (;;) {
    const reply = await fetch(`${origin}/health/ready`).catch(() => undefined);
    if (reply?.ok) return;
    if (Date.now() > endMs) throw new Error('The service is not ready');
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/** @param {string} url @param {number} expected */
export async function expectStatus(url, expected) {
  const { status } = await fetch(url);
  if (status !== expected) throw new Error(`${url} is answered ${status}`);
}
