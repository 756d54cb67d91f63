import { distanceInMetres, EARTH_RADIUS_M } from './distance.js';

const point = (latitude: number, longitude: number) => ({ latitude, longitude });

describe('distanceInMetres', () => {
  it.each([
    ['one point', point(44.8, 20.4), point(44.8, 20.4), 0],
    ['one point across the antimeridian', point(10, 180), point(10, -180), 0],
    ['all longitudes at a pole', point(90, 0), point(90, 77), 0],
    ['a degree of latitude', point(44, 20), point(45, 20), (Math.PI / 180) * EARTH_RADIUS_M],
    ['a degree of longitude at the equator', point(0, 179.5), point(0, -179.5), (Math.PI / 180) * EARTH_RADIUS_M],
    ['opposite points', point(0, 0), point(0, 180), Math.PI * EARTH_RADIUS_M],
  ])('returns the distance for %s', (_, from, to, metres) => {
    expect(distanceInMetres(from, to)).toBeCloseTo(metres, 3);
    expect(distanceInMetres(to, from)).toBeCloseTo(metres, 3);
  });
});
