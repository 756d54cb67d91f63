/**
 * Runs `work` and returns the longest pause of the event loop meanwhile as a share of the total time, from 0 to 1. A
 * share tells a blocked event loop from a busy machine, which prolongs pauses and work alike.
 */
export async function longestPauseShare(work: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  let longestPauseMs = 0;
  let lastBeatMs = startMs;
  const beat = () => {
    const nowMs = performance.now();
    longestPauseMs = Math.max(longestPauseMs, nowMs - lastBeatMs);
    lastBeatMs = nowMs;
  };
  const heartbeat = setInterval(beat, 5);
  await work();
  clearInterval(heartbeat);
  beat();
  return longestPauseMs / (lastBeatMs - startMs);
}
