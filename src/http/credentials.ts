/** "Bearer" in any case, a space, and one or more visible characters. Source: Authentication. */
const BEARER = /^bearer ([\x21-\x7e]+)$/i;

/** The token of an Authorization header, byte for byte; null if there is none. Open point: tokens are opaque. */
export const toBearerToken = (header: string | undefined): string | null =>
  BEARER.exec(header ?? '')?.[1] ?? null;

/**
 * What must not be told again of an Authorization header: its token, or, where it is malformed, its last word. One that
 * holds a scheme alone, for want of a token, has no secret.
 */
export function toSecret(header: string | undefined): string | null {
  const words = header?.trim().split(/\s+/) ?? [];
  const isSchemeAlone = words.length === 1 && /^bearer$/i.test(words[0] ?? '');
  return isSchemeAlone ? null : words.at(-1) || null;
}
