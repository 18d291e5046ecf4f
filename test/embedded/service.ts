import type { Answers } from '../../src/embedded/answers.ts';
import type { Message } from '../../src/embedded/resources.ts';
import { type Call, startEmbeddedService } from '../../src/embedded/service.ts';

interface AskOptions {
  /** Default: ada's token. `null`: no Authorization header. */
  authorization?: string | null;
  type?: string;
}

export interface ErrorBody {
  error: { code: string; message: string };
}

export const FORM = 'application/x-www-form-urlencoded';
export const GRACE = { authorization: 'Bearer grace-sample-token' };
/** A sample conversation of ada's with 640 messages. */
export const LISBON = 'conv_lisbon_trip';
export const LISBON_PATH = `/v1/conversations/${LISBON}`;

export async function startTestService(
  answers: Partial<Answers> = {},
  onCall: (call: Call) => void = () => {},
) {
  const service = await startEmbeddedService({ answers, onCall });

  /** Sends a request such as `ask('PUT /v1/…', 'a=b')`. */
  const ask = async <T>(
    line: string,
    form?: string,
    { authorization = 'Bearer ada-sample-token', type = FORM }: AskOptions = {},
  ) => {
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
    const contentType = response.headers.get('content-type');
    return {
      status: response.status,
      type: contentType,
      headers: response.headers,
      text,
      /** The parsed JSON; `undefined` if the response is not JSON. */
      body: (contentType?.includes('json') ? JSON.parse(text) : undefined) as T,
    };
  };
  return { ...service, ask };
}

/** Starts a service and sends a message of ada's to it; `more` is added to the form. */
export async function startWithMessage(answers: Partial<Answers> = {}, more = '') {
  const service = await startTestService(answers);
  const form = `conversation_id=${LISBON}&message=hi${more}`;
  const sent = await service.ask<Message>('POST /v1/messages', form);
  return { ...service, sent, path: `/v1/messages/${sent.body.id}` };
}
