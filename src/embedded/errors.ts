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
