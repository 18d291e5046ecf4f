import type { Answers } from './answers.ts';

/** Ends a request with an error response; programs read `code`, people read `message`. */
export class HttpError extends Error {
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

/** The error for a wrong field or parameter; its message begins with `name`. */
export const invalidField = (name: string, problem: string, status = 400): HttpError =>
  new HttpError(status, 'invalid_request', `${name}: ${problem}`);

/** The body of an error response and its content type; `null`: no body. Open point: error format. */
export function toErrorBody(
  { status, code, message }: HttpError,
  { errorFormat }: Answers,
): { type: string; body: string } | null {
  switch (errorFormat) {
    case 'json':
      return jsonBody('json', { error: { code, message } });
    case 'problem':
      return jsonBody('problem+json', {
        type: 'about:blank',
        title: code,
        status,
        detail: message,
      });
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

const jsonBody = (subtype: string, value: object) => ({
  type: `application/${subtype}; charset=utf-8`,
  body: JSON.stringify(value),
});

const escapeHtml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
