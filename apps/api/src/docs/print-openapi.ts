import { describeEvents } from '../events/index.js';
import { buildOpenApiDocument } from '../http/openapi.js';
import { VERSION } from '../runtime/api.js';
import { buildRoutes } from './all-routes.js';

process.stdout.write(JSON.stringify(buildOpenApiDocument(await buildRoutes(), VERSION, describeEvents()), null, 2));
