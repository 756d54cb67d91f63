export const anyVariantSql = (productId: string): string =>
  `any(array(select v.id from product_variants v where v.app_id = $1 and v.product_id = ${productId}::bigint))`;
