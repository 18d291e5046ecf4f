import {
  isStream,
  type OperationResponse,
  type Operations,
} from '../operation/request.ts';
import { type ArrivalOptions, arrive } from './arrival.ts';
import type { Drain } from './drain.ts';
import { toRefusal } from './error-responses.ts';
import type { Answer, Exchange } from './exchange.ts';
import { type JsonBodyOptions, readJsonBody } from './json-body.ts';
import { RESULTS_ONLY } from './media-type.ts';
import { toResultBody, toSingleResult, toStreamHeaders } from './result-body.ts';
import type { StreamFormat } from './stream-format.ts';
import type { Streams } from './streams.ts';

export interface GraphqlOptions
  extends Pick<Operations, 'run' | 'subscribe'>,
    Pick<ArrivalOptions, 'operationTime'>,
    JsonBodyOptions {
  readonly streams: Streams;
  readonly drain: Pick<Drain, 'isDraining' | 'begin' | 'answered' | 'end'>;
}

const METHODS = ['GET', 'POST'];

/**
 * Runs the operation of each request. It does not use Apollo's own handler, which parses the `Host` header as a URL and
 * fails if it is not one.
 */
export const createGraphqlRoute =
  (options: GraphqlOptions) =>
  async (exchange: Exchange): Promise<Answer> => {
    const { id, request, response } = exchange;
    const { run, subscribe, operationTime, streams, drain } = options;
    if (!METHODS.includes(request.method ?? '')) {
      return toRefusal(405, { headers: [['allow', METHODS.join(', ')]] });
    }
    const { value: body, letGo } = await readJsonBody(exchange, options);
    const begun = drain.begin();
    const closed = () => drain.end(begun);
    const arrival = arrive(request, response, { id, body, operationTime, closed });
    const { operation, accepts } = arrival;
    const { stream: format } = accepts;
    try {
      if (format === null) return await run(operation);
      const answer = await subscribe(
        accepts.any ? operation : { ...operation, accepts: RESULTS_ONLY },
      );
      if (!isStream(answer)) return accepts.any ? answer : toOneResult(answer, format);
      arrival.clock.stop();
      // It may be answered for days.
      letGo();
      if (operation.signal.aborted) answer.end('left');
      const results = toResultBody(answer, { response, format, streams });
      return { status: 200, headers: toStreamHeaders(format), body: results };
    } finally {
      drain.answered(begun);
    }
  };

/** For a client that reads nothing but streams. A browser shows it no other status than 200. */
function toOneResult(answer: OperationResponse, format: StreamFormat): Answer {
  if (answer.status !== 200) return answer;
  const others = [...answer.headers].filter(([name]) => name !== 'content-type');
  return {
    status: 200,
    headers: [...others, ...toStreamHeaders(format)],
    body: toSingleResult(format, answer.body),
    isPlain: true,
  };
}
