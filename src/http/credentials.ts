/** "Bearer" in any case, a space, and one or more visible characters. Source: Authentication. */
const BEARER = /^bearer ([\x21-\x7e]+)$/i;

/** The token of an Authorization header, byte for byte; null if there is none. Open point: tokens. */
export const toBearerToken = (header: string | undefined): string | null =>
  BEARER.exec(header ?? '')?.[1] ?? null;

/**
 * The part of an Authorization header that no text may repeat: its token or, if the header is malformed, its last word.
 * Null for a header that holds only the scheme.
 */
export function toSecret(header: string | undefined): string | null {
  const words = header?.trim().split(/\s+/) ?? [];
  const isSchemeAlone = words.length === 1 && /^bearer$/i.test(words[0] ?? '');
  return isSchemeAlone ? null : words.at(-1) || null;
}
