export const EARTH_RADIUS_M = 6_371_008.8;
const RADIANS = Math.PI / 180;

interface Point {
  readonly latitude: number;
  readonly longitude: number;
}

/** Returns metres along the Earth's surface, by the haversine formula. */
export function distanceInMetres(from: Point, to: Point): number {
  const latitudeTerm = Math.sin(((to.latitude - from.latitude) * RADIANS) / 2) ** 2;
  const longitudeTerm = Math.sin(((to.longitude - from.longitude) * RADIANS) / 2) ** 2;
  const haversine = latitudeTerm + Math.cos(from.latitude * RADIANS) * Math.cos(to.latitude * RADIANS) * longitudeTerm;
  return 2 * EARTH_RADIUS_M * Math.asin(Math.min(1, Math.sqrt(haversine)));
}
