/** Words for people, in the language of the browser. */

const say = (options: Intl.DateTimeFormatOptions) => (iso: string | null) =>
  iso === null ? '' : new Date(iso).toLocaleString([], options);
export const toTime = say({ hour: '2-digit', minute: '2-digit' });
const toShortDate = say({ day: 'numeric', month: 'short' });
const toDate = say({ weekday: 'long', day: 'numeric', month: 'long' });

/** How many days ago a day was: 0 is today. */
function daysSince(iso: string | null): number {
  const toMidnight = (time: Date) => time.setHours(0, 0, 0, 0);
  return Math.round((toMidnight(new Date()) - toMidnight(new Date(iso ?? ''))) / 86_400_000);
}

export const toDay = (iso: string | null) => ['Today', 'Yesterday'][daysSince(iso)] ?? toDate(iso);

/** For the inbox: short. */
export const toMoment = (iso: string | null) => (daysSince(iso) < 1 ? toTime(iso) : toShortDate(iso));

/** The gateway knows a group by its id alone: `group_lisbon_trip`. */
export function toTitle(row: { contact: { username: string } | null; groupId: string | null }): string {
  if (row.contact) return row.contact.username;
  const words = (row.groupId ?? 'New conversation').replace(/^group_/, '').replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
