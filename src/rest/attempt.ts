import type { Admission } from './admission.ts';
import type { Breaker } from './breaker.ts';
import type { Handler } from './chain.ts';
import type { HttpResponse, SendRequest } from './request.ts';
import { turnOf } from './thread.ts';

interface AttemptParts {
  readonly admission: Pick<Admission, 'take' | 'wait' | 'give'>;
  readonly breaker: Pick<Breaker, 'enter' | 'answered' | 'failed'>;
  readonly send: SendRequest;
}

/**
 * Makes one attempt of a call: it is observed, holds a connection, and passes the breaker. These are not layers, because
 * each layer that acts at the end of a call costs a promise and a step of its own.
 */
export const attempts =
  ({ admission, breaker, send }: AttemptParts): Handler =>
  async (request) => {
    const { call, token, caller, signal, observer, progress } = request;
    const observed = observer.begin({ call, signal, number: progress.attempts });
    progress.attempts += 1;
    let answer: HttpResponse;
    try {
      const ready = admission.take(caller) ? request : await admission.wait(request);
      try {
        const passage = breaker.enter(ready);
        try {
          answer = await observed.send(ready, send);
        } catch (error) {
          breaker.failed(passage, error, signal);
          throw error;
        }
        breaker.answered(passage, answer);
      } finally {
        const turn = turnOf(token);
        if (turn !== undefined) await turn;
        admission.give(caller);
      }
    } catch (error) {
      observed.failed(error);
      throw error;
    }
    observed.answered(answer);
    progress.status = answer.status;
    progress.bytes = answer.bytes;
    return answer;
  };
