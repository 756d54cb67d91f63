import type { Request, Response } from 'express';
import { STATUS_CODES } from 'node:http';
import type { Answer } from './answer.js';
import { formatPointer } from './pointer.js';
import { problemOfStatus, type Problem } from './problems.js';
import { wrapperOf } from './nested-values.js';
import type { Route } from './route.js';

export const PROBLEM_TYPE = 'application/problem+json';

const FIRST_FAILURE_STATUS = 400;

/** Converts a failure to a problem document (RFC 9457) when `Accept` lists that type. */
export function asProblemDocument(answer: Answer, response: Response): Answer {
  const { req: request } = response;
  if (answer.status < FIRST_FAILURE_STATUS || !acceptsProblems(request)) return answer;
  // A stored answer is sent again unchanged.
  if (answer.text !== undefined || answer.headers?.['Content-Type'] === PROBLEM_TYPE) return answer;
  const { status, headers, problems = [problemOfStatus(status)] } = answer;
  const body = {
    type: 'about:blank',
    title: STATUS_CODES[status] ?? 'Error',
    status,
    detail: problems[0]?.message ?? '',
    request_id: request.headers['x-request-id'],
    errors: problems.map((problem) => present(problem, response.locals['bodyClass'] as Route['body'])),
  };
  return { status, body, headers: { ...headers, 'Content-Type': PROBLEM_TYPE }, problems };
}

function acceptsProblems(request: Request): boolean {
  const { accept = '' } = request.headers;
  return accept.toLowerCase().includes(PROBLEM_TYPE) && request.accepts(PROBLEM_TYPE) !== false;
}

function present(problem: Problem, bodyClass: Route['body']): object {
  const { key, message, row, identifiers, details } = problem;
  const pointer = problem.pointer ?? pointerOf(problem, bodyClass);
  return {
    key,
    message,
    ...(pointer !== undefined && { pointer }),
    ...(row !== undefined && { row }),
    ...(identifiers && { identifiers }),
    ...(details && { details }),
  };
}

function pointerOf({ field, row, rowsField = '' }: Problem, bodyClass: Route['body']): string | undefined {
  const path = field === undefined ? [] : field.split('.');
  if (row !== undefined) return formatPointer([rowsField, row, ...path]);
  if (path.length === 0) return undefined;
  const wrapper = bodyClass && wrapperOf(bodyClass);
  return formatPointer(wrapper === undefined ? path : [wrapper, ...path]);
}
