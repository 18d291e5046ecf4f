import type { Contact } from '../resources.ts';

/** The moment the sample data was "taken", in seconds: Sunday, 1 March 2026, 09:30 UTC. */
export const SEED_NOW = Date.UTC(2026, 2, 1, 9, 30) / 1000;

const HOUR = 3600;
const DAY = 24 * HOUR;

/** Username, whether there is a phone number, whether there is a picture, hours since last seen. */
type Person = readonly [string, boolean, boolean, number | null];

/** The first two are the sample users. */
const PEOPLE: readonly Person[] = [
  ['ada', true, true, 0],
  ['grace', true, true, 1],
  ['mira.okonkwo', true, true, 2],
  ['tomas_havel', true, true, 5],
  ['yuki.tanaka', true, false, 1],
  ['lena-brandt', true, true, 30],
  ['omar.haddad', false, true, 8],
  ['sofia.rossi', true, true, 3],
  ['dmitri_volkov', true, false, 70],
  ['priya.nair', true, true, 1],
  ['joão.silva', true, true, 14],
  ['chidi.eze', false, false, null],
  ['hanna_lindqvist', true, true, 20],
  ['mateo.fuentes', true, true, 6],
  ['aisha.rahman', true, true, 11],
  ['peter-jan', true, false, 200],
  ['noor.elmasri', true, true, 4],
  ['kofi.mensah', true, true, 27],
  ['claire.dubois', true, true, 9],
  ['李伟', true, true, 16],
  ['eszter.nagy', false, true, 33],
  ['marek.nowak', true, true, 48],
  ['fatima.zahra', true, true, 7],
  ['sam_oconnell', true, true, null],
  ['ingrid.haugen', true, false, 90],
  ['ravi.menon', true, true, 13],
];

/** Everyone of the sample data, by username; timestamps in seconds times `scale`. */
export function createContacts(scale: number): Map<string, Contact> {
  return new Map(
    PEOPLE.map(([username, hasPhone, hasAvatar, seenHoursAgo], index) => [
      username,
      {
        id: `contact_${(0x3a0c1 + index * 0x1f35).toString(16)}`,
        username,
        phone_number: hasPhone ? `+15550${String(10100 + index * 37)}` : null,
        avatar_url: hasAvatar
          ? `https://media.example/avatars/${encodeURIComponent(username)}.jpg`
          : null,
        last_active_at:
          seenHoursAgo === null ? null : (SEED_NOW - seenHoursAgo * HOUR) * scale,
        created_at: (SEED_NOW - (900 - index * 23) * DAY) * scale,
      },
    ]),
  );
}
