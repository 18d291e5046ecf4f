import type { Answers } from '../../src/embedded/answers.ts';
import {
  type Call,
  type EmbeddedService,
  startEmbeddedService,
} from '../../src/embedded/service.ts';

export interface Answer<T> {
  status: number;
  type: string | null;
  headers: Headers;
  text: string;
  /** The text as JSON, or undefined where it is none. */
  body: T;
}

interface AskOptions {
  /** `null`: no Authorization header. */
  authorization?: string | null;
  type?: string;
}

export const FORM = 'application/x-www-form-urlencoded';
export const LISBON = 'conv_lisbon_trip';

/** A service to ask; `ask('PUT /v1/…', 'a=b')` is ada's unless told otherwise. */
export async function startAskedService(
  answers: Partial<Answers> = {},
  onCall: (call: Call) => void = () => {},
): Promise<
  EmbeddedService & {
    ask: <T>(line: string, form?: string, options?: AskOptions) => Promise<Answer<T>>;
  }
> {
  const service = await startEmbeddedService({ answers, onCall });

  const ask = async <T>(
    line: string,
    form?: string,
    { authorization = 'Bearer ada-sample-token', type = FORM }: AskOptions = {},
  ): Promise<Answer<T>> => {
    const [method = 'GET', path = '/'] = line.split(' ');
    const headers = new Headers();
    if (authorization !== null) headers.set('authorization', authorization);
    if (form !== undefined) headers.set('content-type', type);
    const response = await fetch(service.url + path, {
      method,
      headers,
      body: form ?? null,
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json');
    return {
      status: response.status,
      type: response.headers.get('content-type'),
      headers: response.headers,
      text,
      body: (isJson ? JSON.parse(text) : undefined) as T,
    };
  };
  return { ...service, ask };
}

/** A list as it is answered. */
export interface List<T> {
  has_more: boolean;
  data: T[];
}

export interface ErrorBody {
  error: { code: string; message: string };
}

export const GRACE = { authorization: 'Bearer grace-sample-token' };
