/** Right side of a condition that matches any variant of the product in this parameter. */
export const anyVariantSql = (productId: string): string =>
  `any(array(select v.id from product_variants v where v.app_id = $1 and v.product_id = ${productId}::bigint))`;
