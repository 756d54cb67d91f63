import { describeEvents } from '../events/index.js';
import { buildOpenApiDocument } from '../http/openapi.js';
import { API_VERSION } from '../version.js';
import { buildRoutes } from './all-routes.js';

process.stdout.write(JSON.stringify(buildOpenApiDocument(await buildRoutes(), API_VERSION, describeEvents()), null, 2));
