import type { WireObject } from '../rest/decode.ts';
import { kindOf, toKeyName } from './fields.ts';
import { type Found, unknown } from './found.ts';
import { isObject } from './list.ts';

const FEW = 5;
const DEEPEST = 6;
/** So many are shown to a person. */
const MOST_SHOWN = 8;

/** Open point 2: key paths and JSON types of the attachments seen, never their values. */
export function findAttachments(
  messages: readonly WireObject[],
): Found<readonly string[]> {
  const attachments = messages.flatMap(({ attachments: list }) =>
    Array.isArray(list) ? list : [],
  );
  if (attachments.length === 0) {
    return unknown(`none of ${messages.length} messages seen has an attachment`);
  }
  const lines = new Set<string>();
  for (const attachment of attachments) collect(attachment, '', 0);
  const finding = [...lines].sort();
  const more = finding.length - MOST_SHOWN;
  return {
    finding,
    words: `${finding.slice(0, MOST_SHOWN).join(', ')}${more > 0 ? `, and ${more} more` : ''}`,
    // Others may hold other fields.
    confidence: attachments.length < FEW ? 'guess' : 'likely',
    evidence: `${attachments.length} attachments in ${messages.length} messages were looked at`,
  };

  function collect(value: unknown, path: string, depth: number): void {
    if (depth < DEEPEST && Array.isArray(value)) {
      for (const element of value) collect(element, `${path}[]`, depth + 1);
    } else if (depth < DEEPEST && isObject(value)) {
      for (const [key, child] of Object.entries(value)) {
        const name = toKeyName(key);
        collect(child, path === '' ? name : `${path}.${name}`, depth + 1);
      }
    } else {
      lines.add(`${path === '' ? '(itself)' : path}: ${kindOf(value)}`);
    }
  }
}
