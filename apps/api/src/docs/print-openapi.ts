import { describeEvents } from '../events/index.js';
import { readApiExamples } from '../http/openapi-examples.js';
import { buildOpenApiDocument } from '../http/openapi.js';
import { API_VERSION } from '../version.js';
import { buildRoutes } from './all-routes.js';

const reference = buildOpenApiDocument(await buildRoutes(), API_VERSION, describeEvents(), readApiExamples());
process.stdout.write(JSON.stringify(reference, null, 2));
