import type { MediaPorts } from '@back-office/media';
import { AppLibrary } from '@back-office/media/testing';
import type { ManualClock } from '@back-office/kernel/testing';
import type { Database } from '../index.js';

type LibraryFixture = MediaPorts & Pick<Database, 'appQueries'> & { readonly clock: ManualClock };

export async function libraryOf(fixture: LibraryFixture, appId: number): Promise<AppLibrary> {
  const prefix = (await fixture.appQueries.find(appId))?.media_prefix ?? '';
  const libraryFixture = { ports: fixture, clock: fixture.clock, base: 'https://media.example' };
  // These contracts do not run jobs through the library, so its fixture needs no queue.
  return new AppLibrary(libraryFixture as unknown as ConstructorParameters<typeof AppLibrary>[0], {
    id: appId,
    prefix,
  });
}
