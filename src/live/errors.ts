import { type Extensions, OperationalError } from '../rest/errors.ts';

/** Subscriptions are switched off. */
export class LiveOffError extends OperationalError {
  readonly code = 'NOT_CONFIGURED';

  constructor() {
    super('This gateway serves no subscriptions (LIVE=false).');
  }
}

/** When a client that was refused should try again. Unit: seconds. */
const RETRY_AFTER_SECONDS = 5;

/** There are too many subscriptions already, of all callers or of this one. */
export class TooManySubscriptionsError extends OperationalError {
  readonly code = 'OVERLOADED';

  constructor() {
    super(
      'Too many subscriptions are open, or what they keep takes too many bytes: end one, or try again later. At most MAX_SUBSCRIPTIONS may be open, four fifths of them of one caller.',
    );
  }

  override toExtensions(): Extensions {
    return { code: this.code, retryAfterSeconds: RETRY_AFTER_SECONDS };
  }
}

/** The time of the operation was up, or its client left, before the state was known that the subscription begins with. */
export class LateStartError extends OperationalError {
  readonly code = 'UPSTREAM_TIMEOUT';

  /** `cause`: why its signal was aborted. */
  constructor({ message }: Error) {
    super(`The subscription did not begin: ${message}.`);
  }
}

/** The object whose list was to be watched does not exist, or the caller may not see it. */
export class NothingToWatchError extends OperationalError {
  readonly code = 'NOT_FOUND';

  constructor(noun: string) {
    super(`The service knows no ${noun} with this id.`);
  }
}

/** The newest items of a list cannot be found with the settings. The message names the setting that helps. */
export class NoNewestEndError extends OperationalError {
  readonly code = 'PAGE_OUT_OF_REACH';
}
