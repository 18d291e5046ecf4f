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
      'Too many subscriptions are open, or too large ones: end one, or try again later. MAX_SUBSCRIPTIONS is their number; one caller may have four fifths of them.',
    );
  }
}

/** The object whose list was to be watched does not exist, or the caller may not see it. */
export class NothingToWatchError extends OperationalError {
  override readonly name = 'NothingToWatchError';

  constructor() {
    super('There is nothing with this id to watch.');
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
