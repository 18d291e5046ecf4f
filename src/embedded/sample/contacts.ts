import { type Contact, SAMPLE_TIME } from '../resources.ts';

const HOUR = 3600;
const DAY = 24 * HOUR;

type Person = readonly [
  username: string,
  hasPhone: boolean,
  hasAvatar: boolean,
  seenHoursAgo: number | null,
];

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

/** Creates all contacts, by username. `scale`: timestamp units per second. */
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
          seenHoursAgo === null ? null : (SAMPLE_TIME - seenHoursAgo * HOUR) * scale,
        created_at: (SAMPLE_TIME - (900 - index * 23) * DAY) * scale,
      },
    ]),
  );
}
