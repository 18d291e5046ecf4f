import { type Config, toEnvironmentName } from '../config.ts';
import { isObject } from '../rest/decode.ts';
import { quote } from './quote.ts';

/** The settings in effect by their variables, as the log may show them: addresses without passwords, and of headers the names alone. */
export const toShown = (config: Config): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(config).map(([name, value]) => [
      toEnvironmentName(name),
      withoutSecrets(value),
    ]),
  );

function withoutSecrets(value: Config[keyof Config]): unknown {
  // Every text is read as an address, so that a new setting shows no password either.
  if (typeof value === 'string') return quote(value);
  return isObject(value) ? Object.keys(value) : value;
}
