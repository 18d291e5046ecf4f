import type { Timestamp } from '../rest/timestamp.ts';
import type { GatewayContext } from './context.ts';

type Dated<F extends string> = Readonly<Record<F, Timestamp | null>> & {
  readonly createdAt: Timestamp;
};

type ResolveDateTime<F extends string> = (
  object: Dated<F>,
  args: unknown,
  context: GatewayContext,
) => string | null;

/** The resolvers of `readAtIso` for `readAt`, and so on. */
export const dateTimes = <F extends string>(...fields: readonly F[]) =>
  Object.fromEntries(
    fields.map((field): [string, ResolveDateTime<F>] => [
      `${field}Iso`,
      (object, _args, { timestamps }) =>
        timestamps.toIso(object[field], object.createdAt),
    ]),
  ) as Record<`${F}Iso`, ResolveDateTime<F>>;
