export { checkoutRoutes } from './checkout.routes.js';
export { findEvaluationFacts, TypeOrmEvaluations } from './typeorm-evaluations.js';
