import { OperationalError } from '../rest/errors.ts';

/** Subscriptions are switched off. */
export class LiveOffError extends OperationalError {
  override readonly name = 'LiveOffError';

  constructor() {
    super('This gateway serves no subscriptions (LIVE=false).');
  }
}

/** When a client that was refused should try again. Unit: seconds. */
const RETRY_AFTER_SECONDS = 5;

/** There are too many subscriptions already, of all callers or of this one. */
export class TooManySubscriptionsError extends OperationalError {
  override readonly name = 'TooManySubscriptionsError';
  readonly retryAfterSeconds = RETRY_AFTER_SECONDS;

  constructor() {
    super(
      'Too many subscriptions are open, or what they keep takes too many bytes: end one, or try again later. At most MAX_SUBSCRIPTIONS may be open, four fifths of them of one caller.',
    );
  }
}

/** The object whose list was to be watched does not exist, or the caller may not see it. */
export class NothingToWatchError extends OperationalError {
  override readonly name = 'NothingToWatchError';

  constructor() {
    super('The service knows no conversation with this id.');
  }
}

/** The newest items of a list cannot be found with the settings. The message names the setting that helps. */
export class NoNewestEndError extends OperationalError {
  override readonly name = 'NoNewestEndError';
}

/** Its subscriber read so little that too many changes waited. */
export class OverrunError extends OperationalError {
  override readonly name = 'OverrunError';

  constructor() {
    super('The subscription was ended: its events were not read.');
  }
}
