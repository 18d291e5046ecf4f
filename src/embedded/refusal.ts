import type { Answers } from './answers.ts';

/** A request that is answered with an error. `code` is a word for programs, `message` for people. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  readonly headers: Record<string, string>;

  constructor(
    status: number,
    code: string,
    message: string,
    headers: Record<string, string> = {},
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.headers = headers;
  }
}

/** A field or parameter that is not as the interface has it; `name` stands in the message. */
export const invalid = (name: string, problem: string, status = 400): Refusal =>
  new Refusal(status, 'invalid_request', `${name}: ${problem}`);

/** Open point: unknown id. Someone else's id is as unknown as one that never was. */
export const unknownId = (
  what: 'message' | 'conversation',
  id: string,
  { unknownId: status }: Answers,
): Refusal =>
  new Refusal(status, 'not_found', `no ${what} has the id ${JSON.stringify(id)}`);

/** The body of a refusal and its content type; `null` is none. Open point: error format. */
export function toErrorBody(
  { status, code, message }: Refusal,
  { errorFormat }: Answers,
): { type: string; body: string } | null {
  switch (errorFormat) {
    case 'json':
      return {
        type: 'application/json; charset=utf-8',
        body: JSON.stringify({ error: { code, message } }),
      };
    case 'problem':
      return {
        type: 'application/problem+json; charset=utf-8',
        body: JSON.stringify({
          type: 'about:blank',
          title: code,
          status,
          detail: message,
        }),
      };
    case 'text':
      return { type: 'text/plain; charset=utf-8', body: message };
    case 'html':
      return {
        type: 'text/html; charset=utf-8',
        body: `<!doctype html><title>${status}</title><p>${escapeHtml(message)}</p>`,
      };
    case 'empty':
      return null;
  }
}

const escapeHtml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
