import { type Contact, SAMPLE_TIME } from '../resources.ts';
import type { Random } from './random.ts';

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

/** A sample conversation before its messages are created. */
export interface PlannedConversation {
  /** `null`: a random id. */
  id: string | null;
  /** `null` if it is with one contact. */
  group: string | null;
  /** Usernames of everyone but the owner. */
  others: readonly string[];
  messages: number;
  /** When the last message was created. Unit: seconds, also if timestamps have another unit. */
  lastAt: number;
}

/** The usernames of the others, by group. */
const GROUPS = {
  group_choir: 'grace claire.dubois marek.nowak eszter.nagy',
  group_book_club: 'mira.okonkwo lena-brandt ingrid.haugen',
  group_flat_4b: 'yuki.tanaka sam_oconnell',
  group_sunday_football: 'grace kofi.mensah mateo.fuentes tomas_havel omar.haddad',
  group_family: 'chidi.eze noor.elmasri',
  group_release_party: 'priya.nair ravi.menon dmitri_volkov 李伟',
  group_allotment: 'ingrid.haugen peter-jan',
  group_cinema: 'grace sofia.rossi hanna_lindqvist',
  group_neighbours: 'eszter.nagy fatima.zahra marek.nowak lena-brandt',
  group_running: 'aisha.rahman kofi.mensah',
  group_board_games: 'tomas_havel ravi.menon yuki.tanaka',
  group_photo_walks: 'claire.dubois joão.silva',
  group_parents: 'fatima.zahra priya.nair noor.elmasri',
  group_birthday_mira: 'sofia.rossi lena-brandt omar.haddad',
};

const minutesAgo = (minutes: number): number => SAMPLE_TIME - minutes * 60;

/** A long conversation with a memorable id, for trying out paging. */
const LISBON: PlannedConversation = {
  id: 'conv_lisbon_trip',
  group: 'group_lisbon_trip',
  others: ['mira.okonkwo', 'joão.silva', 'sofia.rossi', 'omar.haddad'],
  messages: 640,
  lastAt: minutesAgo(12),
};

/** The conversation between the sample users, in which two clients can talk. */
const BETWEEN_THEM = {
  id: 'conv_ada_grace',
  group: null,
  messages: 48,
  lastAt: minutesAgo(20),
};

/** Plans the conversations of a sample user, last active first: all of them for ada, some for grace, who shares four. */
export function planConversations(
  random: Random,
  owner: string,
  everyone: readonly string[],
): PlannedConversation[] {
  const isOther = (username: string) => username !== owner;
  const isAda = owner === 'ada';
  const other = isAda ? 'grace' : 'ada';
  const groups = Object.entries(GROUPS)
    .map(([group, names]) => ({ group, members: ['ada', ...names.split(' ')] }))
    .filter(({ members }) => members.includes(owner))
    .map(({ group, members }) => ({ group, others: members.filter(isOther) }));
  const contacts = everyone.filter(isOther).slice(0, isAda ? undefined : 9);
  const singles = contacts.map((contact) => ({ group: null, others: [contact] }));

  const planned = random.shuffle([...groups, ...singles]).map((one, index) => ({
    ...one,
    id: null,
    // One conversation has no messages yet.
    messages: index === 2 ? 0 : 1 + random.below(60),
    lastAt: minutesAgo(30 + index * index * 40 + random.below(30)),
  }));
  return [
    ...(isAda ? [LISBON] : []),
    { ...BETWEEN_THEM, others: [other] },
    ...planned.filter(({ group, others }) => group !== null || others[0] !== other),
  ];
}
