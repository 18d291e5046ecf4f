import type { FormattedExecutionResult } from 'graphql';
import type { Logger } from 'pino';
import { OverrunError } from '../live/errors.ts';
import type { End, EndReason } from '../live/subscriber.ts';
import { Cancellation, IS_OVER } from '../rest/abort.ts';
import { isObject } from '../rest/decode.ts';
import { createRedactor } from '../rest/redact.ts';
import { turnOf } from '../rest/thread.ts';
import type { OperationTime } from '../rest/time-limit.ts';
import { type ObserverOptions, observeEvents } from '../telemetry/observer.ts';
import type { OperationContext } from './context.ts';
import { toClientError } from './errors.ts';
import type { Executed } from './execute.ts';
import type { Pipeline } from './pipeline.ts';
import { toName } from './report.ts';
import type {
  BegunSubscription,
  HttpParams,
  OperationRequest,
  ResultStream,
} from './request.ts';
import { type Refused, toRefused } from './respond.ts';

export interface StreamOptions {
  /** The context of one event. */
  readonly createContext: (
    request: OperationRequest,
    observers: ObserverOptions,
  ) => OperationContext;
  readonly observers: ObserverOptions;
  /** The time of one event. */
  readonly time: OperationTime;
  readonly log: Logger;
}

/**
 * Makes the results of a subscription that has begun: each change passes the stages of an operation, with a context, a
 * budget and a deadline of its own.
 */
export const createStreamOf =
  (pipeline: Pipeline, { createContext, observers, time, log }: StreamOptions) =>
  (
    { plan, variables, subscriber, locate }: BegunSubscription,
    given: OperationRequest,
  ): ResultStream => {
    const { operation } = plan;
    const answered = { operation, extensions: requestedExtensions(given.params) };
    // What is no longer needed would be kept until the end, such as a long body.
    const request = { ...given, params: NO_PARAMS };
    const began = performance.now();
    const tally = { events: 0, restCalls: 0 };
    const ofEvents = observeEvents(observers, tally);

    /** The result of one event, in a context of its own. */
    async function toResult(
      execute: (context: OperationContext) => Promise<Executed | Refused>,
    ): Promise<FormattedExecutionResult> {
      const end = new Cancellation();
      const clock = time(end);
      const deadline = clock.expires;
      const context = createContext({ ...request, signal: end, deadline }, ofEvents);
      context.observer.start();
      try {
        const outcome = await execute(context).catch(toRefused);
        const responded = pipeline.respond(outcome, context, answered);
        return pipeline.report(responded, context).result;
      } finally {
        clock.stop();
        context.meter.close();
        end.abort(IS_OVER);
      }
    }

    const executeEvent = (event: unknown) =>
      toResult(async (context) => {
        const turn = turnOf(context.caller);
        if (turn !== undefined) await turn;
        const checked = pipeline.check(plan, variables, context);
        return pipeline.executeEvent(checked, context, event);
      });

    /** The last result: the error that ended the subscription. */
    const tellEnd = (error: unknown) =>
      toResult(async () => ({ errors: [locate(error)], status: undefined }));

    function logEnd({ reason, error }: End): void {
      const name = toName(operation.name?.value ?? null, createRedactor(request.secret));
      const entry = {
        requestId: request.id,
        operation: name,
        ...tally,
        durationMs: Math.round(performance.now() - began),
        reason,
        codes: error === null ? [] : [toClientError(locate(error)).extensions?.code],
      };
      log.info(entry, 'subscription');
    }

    const end = (reason: EndReason) => subscriber.end({ reason, error: null });
    subscriber.onEnd(logEnd);
    return {
      async next() {
        try {
          const { done, value } = await subscriber.next();
          if (done === true) return { done, value: undefined };
          return { done: false, value: await executeEvent(value) };
        } catch (error) {
          if (error instanceof OverrunError) return { done: true, value: undefined };
          return { done: false, value: await tellEnd(error) };
        }
      },
      async return() {
        end('left');
        return { done: true, value: undefined };
      },
      end,
      onOverrun(close) {
        subscriber.onEnd(({ reason }) => {
          if (reason === 'overrun') close();
        });
      },
      [Symbol.asyncIterator]() {
        return this;
      },
    };
  };

const NO_PARAMS: HttpParams = { method: 'POST', search: '', body: null };

/** The extensions that the request asks for in each result. */
const requestedExtensions = (params: HttpParams): Record<string, unknown> => {
  const { cost, rest } = givenExtensions(params);
  return { cost: cost === true, rest: rest === true };
};

function givenExtensions({ search, body }: HttpParams): Record<string, unknown> {
  if (isObject(body)) return isObject(body.extensions) ? body.extensions : {};
  try {
    const given = new URLSearchParams(search).get('extensions');
    const extensions: unknown = JSON.parse(given ?? '{}');
    return isObject(extensions) ? extensions : {};
  } catch {
    // Apollo Server has refused it before.
    return {};
  }
}
