export const EARTH_RADIUS_M = 6_371_008.8;
const RADIANS = Math.PI / 180;

interface Point {
  readonly latitude: number;
  readonly longitude: number;
}

/** Metres along the Earth's surface, by the haversine formula. */
export function distanceM(from: Point, to: Point): number {
  const north = Math.sin(((to.latitude - from.latitude) * RADIANS) / 2) ** 2;
  const east = Math.sin(((to.longitude - from.longitude) * RADIANS) / 2) ** 2;
  const haversine = north + Math.cos(from.latitude * RADIANS) * Math.cos(to.latitude * RADIANS) * east;
  return 2 * EARTH_RADIUS_M * Math.asin(Math.min(1, Math.sqrt(haversine)));
}
