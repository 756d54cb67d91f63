const { readFileSync } = require('node:fs');
const runSuite = require('jest-circus/runner').default;

const TICKS_PER_SECOND = 100;

/** Runs a suite. Adds the CPU seconds of the suite and of its child processes to the result. */
module.exports = function runMeasured(...args) {
  const secondsBefore = cpuSeconds();
  // With `await`, Jest would show this function as the cause of a timeout.
  return runSuite(...args).then((result) => {
    result.perfStats = { ...result.perfStats, cpuSeconds: cpuSeconds() - secondsBefore };
    return result;
  });
};

function cpuSeconds() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6 + secondsOfEndedProcesses();
}

/** Returns 0 outside Linux, because only Linux reports the CPU time of ended child processes. */
function secondsOfEndedProcesses() {
  if (process.platform !== 'linux') return 0;
  // The second field is the name, in parentheses. The name may contain spaces.
  const [, fieldsAfterName] = readFileSync('/proc/self/stat', 'utf8').split(/\) (?!.*\) )/s);
  const [userTicks, systemTicks] = fieldsAfterName.split(' ').slice(13, 15);
  return (Number(userTicks) + Number(systemTicks)) / TICKS_PER_SECOND;
}

module.exports.cpuSeconds = cpuSeconds;
