/** The condition's right side: any variant of the product that the parameter names. */
export const anyVariantOf = (productId: string): string =>
  `any(array(select v.id from product_variants v where v.app_id = $1 and v.product_id = ${productId}::bigint))`;
