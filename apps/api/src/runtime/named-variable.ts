import { messageOf } from './error-message.js';

/** Runs work on the server that a variable addresses. The message of an error begins with the name of the variable. */
export async function withVariableName<Result>(variable: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw new Error(`${variable}: ${messageOf(error)}`, { cause: error });
  }
}
