import { ApolloLink } from '@apollo/client';
import { ServerError, ServerParseError } from '@apollo/client/errors';
import { RetryLink } from '@apollo/client/link/retry';
import { catchError, concatMap, EMPTY, Observable, Subject, tap } from 'rxjs';

/** The gateway knows a `clientMutationId` for ten minutes. Unit: milliseconds. */
const KNOWN_MS = 9 * 60_000;

/** Whether the answer was lost, or asks to try later. Any other refusal would only come again. */
function mayTryAgain(error: unknown): boolean {
  const status =
    ServerError.is(error) || ServerParseError.is(error) ? error.statusCode : 500;
  return status === 429 || status >= 500;
}

/** Before `HttpLink`. Sends a mutation again whose answer was lost, if it has a `clientMutationId`, and thus arrives once. */
export const createRetryLink = () =>
  new RetryLink({
    attempts(_count, operation, error) {
      if (!mayTryAgain(error)) return false;
      const { since = Date.now() } = operation.getContext();
      operation.setContext({ since });
      const isKnown = Date.now() - since < KNOWN_MS;
      return isKnown && Boolean(operation.variables.input?.clientMutationId);
    },
    delay: { max: 10_000 },
  });

/** Before `createRetryLink`. Sends messages one after another, so that they arrive in the order in which they were written. */
export function createQueueLink() {
  const queue = new Subject<Observable<unknown>>();
  queue.pipe(concatMap((one) => one)).subscribe();
  return new ApolloLink((operation, forward) =>
    operation.variables.input?.clientMutationId
      ? new Observable((sink) =>
          queue.next(
            forward(operation).pipe(
              tap(sink),
              catchError(() => EMPTY),
            ),
          ),
        )
      : forward(operation),
  );
}
