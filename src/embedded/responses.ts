import type { Answers } from './answers.ts';
import { HttpError } from './errors.ts';

/** What the service answers. */
export interface ServiceResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The response of a call that succeeded. Open point: success status codes. Open point: body of a delete. */
export function toResponse(
  method: string,
  result: object,
  answers: Answers,
): ServiceResponse {
  if (method === 'GET') return toJson(answers.readStatus, result);
  if (method === 'POST') return toJson(answers.createStatus, result);
  if (method === 'PUT') return toJson(answers.updateStatus, result);
  const status = answers.deleteStatus;
  const empty = { status, headers: {}, body: '' };
  if (status === 204 || status === 205) return empty;
  switch (answers.deleteBody) {
    case 'flag':
      return toJson(status, { deleted: true });
    case 'object':
      return toJson(status, result);
    case 'text':
      return toText(status, 'plain', 'deleted');
    case 'empty':
      return empty;
  }
}

/** The response of a call that failed. Open point: error format. */
export function toErrorResponse(error: unknown, answers: Answers): ServiceResponse {
  // Any other error is a bug of the embedded service.
  const known =
    error instanceof HttpError ? error : new HttpError(500, 'internal', String(error));
  const response = toErrorBody(known, answers);
  return { ...response, headers: { ...known.headers, ...response.headers } };
}

function toErrorBody(
  { status, code, message }: HttpError,
  { errorFormat }: Answers,
): ServiceResponse {
  switch (errorFormat) {
    case 'json':
      return toJson(status, { error: { code, message } });
    case 'problem': {
      const problem = { type: 'about:blank', title: code, status, detail: message };
      return toJson(status, problem, 'problem+json');
    }
    case 'text':
      return toText(status, 'plain', message);
    case 'html': {
      const page = `<!doctype html><title>${status}</title><p>${escapeHtml(message)}</p>`;
      return toText(status, 'html', page);
    }
    case 'empty':
      return { status, headers: {}, body: '' };
  }
}

const toJson = (status: number, value: object, subtype = 'json'): ServiceResponse => ({
  status,
  headers: { 'content-type': `application/${subtype}; charset=utf-8` },
  body: JSON.stringify(value),
});

const toText = (status: number, subtype: string, body: string): ServiceResponse => ({
  status,
  headers: { 'content-type': `text/${subtype}; charset=utf-8` },
  body,
});

const escapeHtml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
