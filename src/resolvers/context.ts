import type { FieldNode, GraphQLResolveInfo } from 'graphql';
import type { Budget } from '../cost/budget.ts';
import type { ChangeNotice } from '../live/bus.ts';
import type { Live } from '../live/live.ts';
import { type Connection, readConnection } from '../paging/connection.ts';
import type { PageOptions, RequestedPage } from '../paging/cost.ts';
import { BadPageError } from '../paging/errors.ts';
import { nullIfUnknown, RestError } from '../rest/errors.ts';
import { createRest, type Rest } from '../rest/index.ts';
import type { Identified, List } from '../rest/list.ts';
import type { Send } from '../rest/send.ts';
import type { Timestamps } from '../rest/timestamp.ts';
import type { Attribution } from '../telemetry/attribution.ts';
import { type AnswerRoom, createAnswerRoom } from './answer-room.ts';
import { createConnections, pace } from './connections.ts';
import { createFieldErrors, type FieldErrors } from './field-errors.ts';
import { createLoaders, type Loader, type Loaders } from './loaders.ts';
import { type PagesRead, rememberPages } from './pages.ts';
import { createPauses, type Pauses } from './pauses.ts';

/** What resolvers see of one operation. */
export interface GatewayContext {
  /** The calls of the interface, made with the caller's token. Reads by id go through `loaders` instead. */
  readonly rest: Rest;
  readonly loaders: Loaders;
  /**
   * Reads the page of a list that a field asks for; the field must declare the cost of a list. Later, its items are not
   * fetched again by id. Null if the service does not know an id that the list is filtered by.
   */
  paginate<T extends Identified>(
    list: List<T>,
    info: GraphQLResolveInfo,
    loader: Loader<T>,
  ): Promise<Connection<T> | null>;
  /**
   * Waits for a write. Later reads of this operation ask the service again, except for the object that it returned. Who
   * watches what the write touched learns of it.
   */
  afterWrite<T extends Identified>(
    write: Promise<T>,
    loader: Loader<T>,
    toNotice: (returned: T | null) => ChangeNotice,
  ): Promise<T>;
  /** The same for a write that returns nothing. */
  afterDelete(write: Promise<void>, notice: ChangeNotice): Promise<void>;
  readonly live: Live;
  /** The caller's token; null if it sent none. */
  readonly token: string | null;
  readonly fieldErrors: FieldErrors;
  readonly pauses: Pauses;
  readonly answerRoom: AnswerRoom;
  readonly timestamps: Timestamps;
  /** Takes one call that the operation's other fields leave; false if none is left. */
  takeSlack(): boolean;
  /** Attributes calls to the running field; null unless calls are logged. Resolvers do not need it. */
  readonly attribution: Attribution | null;
}

/** What all operations share. */
export interface ContextOptions extends PageOptions {
  readonly timestamps: Timestamps;
  /** How long an answer may be. Unit: bytes. */
  readonly maxAnswerBytes: number;
  readonly live: Live;
}

/** The parts that belong to one operation. */
export interface OperationParts {
  readonly token: string | null;
  readonly send: Send;
  readonly budget: Budget;
  /** The page that each list field asks for, as the operation was priced. */
  readonly pages: ReadonlyMap<FieldNode, RequestedPage>;
  readonly attribution: Attribution | null;
}

/** The context of one operation of one caller. */
export function createResolverContext(
  { token, send, budget: { takeSlack }, pages, attribution }: OperationParts,
  { strategy, bounds, timestamps, maxAnswerBytes, live }: ContextOptions,
): GatewayContext {
  const rest = createRest(send);
  const loaders = createLoaders(rest, timestamps, attribution);
  const fieldErrors = createFieldErrors();
  const pauses = createPauses();
  const pagesRead: PagesRead = new Map();
  const connections = createConnections();
  const options = { strategy, bounds, takeSlack, admitError: fieldErrors.admit };
  const forgetReads = () => {
    attribution?.forget();
    pagesRead.clear();
    connections.clear();
    for (const loader of Object.values(loaders)) loader.clearAll();
  };

  return {
    rest,
    loaders,
    fieldErrors,
    pauses,
    answerRoom: createAnswerRoom(maxAnswerBytes, pauses),
    timestamps,
    takeSlack,
    attribution,
    async paginate(list, { fieldNodes }, loader) {
      const page = fieldNodes[0] && pages.get(fieldNodes[0]);
      if (page === undefined) throw new Error('A list was read without a price.');
      if (page instanceof BadPageError) throw page;
      const read = () => {
        const known = rememberPages(list, loader, { pagesRead, attribution });
        const reading = readConnection(known, page, options);
        return list.filtersById ? reading.catch(nullIfUnknown) : reading;
      };
      // If calls are attributed, every field must read its page by itself to be named.
      const connection = await (attribution === null
        ? connections.read(page, list.key, read)
        : read());
      const pause = pauses.next();
      if (pause !== undefined) await pause;
      return connection && pace(connection, pauses, fieldNodes);
    },
    async afterWrite(write, loader, toNotice) {
      try {
        const value = await write.finally(forgetReads);
        loader.prime(value);
        live.wrote(toNotice(value), token);
        return value;
      } catch (error) {
        if (mayBeDone(error)) live.wrote(toNotice(null), token);
        throw error;
      }
    },
    async afterDelete(write, notice) {
      try {
        await write.finally(forgetReads);
        live.wrote(notice, token);
      } catch (error) {
        if (mayBeDone(error)) live.wrote(notice, token);
        throw error;
      }
    },
    live,
    token,
  };
}

/** Whether a write that failed may have been carried out. */
const mayBeDone = (error: unknown): boolean =>
  error instanceof RestError && error.outcomeUnknown;
