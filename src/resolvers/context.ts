import type { FieldNode, GraphQLResolveInfo } from 'graphql';
import type { Signal } from '../callers/abort.ts';
import type { CallerId } from '../callers/caller-id.ts';
import type { KeyedTurns } from '../callers/keyed-turns.ts';
import type { OwnState, OwnStates } from '../callers/own-state.ts';
import type { SentOnce } from '../callers/sent-once.ts';
import type { SharedSends } from '../callers/shared-sends.ts';
import type { Budget } from '../cost/budget.ts';
import type { Live } from '../live/live.ts';
import type { Touch } from '../live/notice.ts';
import { type Connection, readConnection } from '../paging/connection.ts';
import {
  type PageOptions,
  type PricedPage,
  type RequestedPage,
  requestPage,
} from '../paging/cost.ts';
import { BadPageError } from '../paging/errors.ts';
import { mayBeDone, nullIfUnknown, OperationalError } from '../rest/errors.ts';
import {
  DEFAULT_PAGE_SIZE,
  type Identified,
  type Item,
  type List,
} from '../rest/list.ts';
import type { Send } from '../rest/send.ts';
import type { Timestamps } from '../rest/timestamp.ts';
import type { Attribution } from '../telemetry/attribution.ts';
import { ListQuota } from './list-quota.ts';
import { Loaders, type NodeType } from './loaders.ts';
import { type PagesRead, RememberedList } from './pages.ts';

/** The parts that all operations share. */
export interface ContextOptions extends PageOptions {
  readonly timestamps: Timestamps;
  /** How long an answer may be. Unit: bytes. */
  readonly maxAnswerBytes: number;
  readonly live: Live;
  /** By the id of an object, for writes that depend on what the object was before. */
  readonly turns: KeyedTurns;
  /** What the resources keep of each caller. */
  readonly ownStates: OwnStates;
  /** What each caller has sent under keys of its own. */
  readonly sends: SentOnce<Identified>;
  /** Null: there are no other replicas. */
  readonly sharedSends: SharedSends | null;
}

/** The parts that belong to one operation. */
export interface OperationParts {
  readonly send: Send;
  readonly budget: Budget;
  readonly attribution: Attribution | null;
  /** The last event that the client has got, as its header `Last-Event-ID` says. */
  readonly lastEventId: string | null;
}

/** The context of one operation, as resolvers see it. A class, because an object of closures takes several times its memory. */
export class GatewayContext {
  /** Makes calls with the caller's token. Reads by id go through `loaders` instead. */
  readonly send: Send;
  readonly loaders: Loaders;
  readonly listQuota: ListQuota;
  readonly timestamps: Timestamps;
  readonly live: Live;
  /** The caller whose share it uses. */
  readonly caller: CallerId;
  /** Aborted when its client has left, or its time is up. */
  readonly signal: Signal;
  /** `takeSlack` takes one call beyond the price of the running field; false if the other fields leave none. */
  readonly budget: Budget;
  /** Attributes calls to the running field; null unless calls are logged. Resolvers do not need it. */
  readonly attribution: Attribution | null;
  readonly lastEventId: OperationParts['lastEventId'];
  /** The page that each list field asks for, as the operation was priced. */
  pages: ReadonlyMap<FieldNode, RequestedPage> = NO_PAGES;
  readonly #options: ContextOptions;
  readonly #pagesRead: PagesRead = new Map();
  /** By page and list: links back to one object may ask for its list under thousands of items. */
  readonly #connections = new Map<PricedPage, Map<string, Promise<unknown>>>();

  constructor(
    { send, budget, attribution, lastEventId }: OperationParts,
    options: ContextOptions,
  ) {
    const { timestamps, live, maxAnswerBytes } = options;
    this.send = send;
    this.loaders = new Loaders(send, attribution);
    this.listQuota = new ListQuota(maxAnswerBytes);
    this.timestamps = timestamps;
    this.live = live;
    this.caller = send.caller;
    this.signal = send.options.signal;
    this.budget = budget;
    this.attribution = attribution;
    this.lastEventId = lastEventId;
    this.#options = options;
  }

  get sends(): SentOnce<Identified> {
    return this.#options.sends;
  }

  get sharedSends(): SharedSends | null {
    return this.#options.sharedSends;
  }

  /** What is kept of the caller beyond the operation. */
  ownState<T extends object>(topic: string, toFresh: () => T): OwnState<T> {
    return this.#options.ownStates(topic, this.caller, toFresh);
  }

  // Arrow functions, because resolvers destructure the context.

  /**
   * Reads the page of a list that a field asks for; the field must declare the cost of a list. Later, its items are not
   * fetched again by id. Null if the service does not know an id that the list is filtered by.
   */
  readonly paginate = <T extends Identified>(
    list: List<T>,
    type: NodeType<T>,
    { fieldNodes }: GraphQLResolveInfo,
  ): Promise<Connection<T> | null> => {
    const page = fieldNodes[0] && this.pages.get(fieldNodes[0]);
    if (page === undefined) throw new Error('A list was read without a price.');
    if (page instanceof BadPageError) throw page;
    // If calls are attributed, every field must read its page by itself to be named.
    return this.attribution === null
      ? this.#readOnce(list, page, type)
      : this.#read(list, page, type);
  };

  /** Reads the part of a list that every service gives at once: ten items from its head. The field must declare the call. */
  readonly readHead = async <T extends Identified>(
    list: List<T>,
    type: NodeType<T>,
  ): Promise<readonly Item<T>[]> => {
    const limit = Math.min(DEFAULT_PAGE_SIZE, this.#options.bounds.maxLimit);
    const { items } = await this.#remember(list, type).read({ limit });
    return items;
  };

  /** Reads the newest ten items of a list anew, if no other field claims the calls for it. */
  readonly readNewest = <T extends Identified>(
    list: List<T>,
    type: NodeType<T>,
  ): Promise<Connection<T> | null> => {
    this.send.forgetReads();
    this.#forgetReads();
    const page = requestPage({ order: 'NEWEST_FIRST' }, this.#options);
    if (page instanceof BadPageError) throw page;
    return this.#read(list, { ...page, cost: { expected: 0, slack: 0 } }, type);
  };

  /**
   * Runs `work` in turn: no other `work` for this id runs in this process. Callers whose tokens the service has not accepted have no
   * turns, and so delay nobody. `mayWrite` must be asked in the moment in which the write is sent: a turn may be over by then.
   */
  readonly inTurn = async <T>(
    id: string,
    work: (mayWrite: () => boolean) => Promise<T>,
  ): Promise<T> => {
    const { turns } = this.#options;
    const { signal } = this;
    const caller = this.caller.renewed();
    if (!caller.isAccepted) return work(() => true);
    const turn = await turns.acquire(id, { caller, signal });
    if (turn === null) throw new NotWrittenError();
    try {
      const done = await work(() => turn.renew());
      turn.release();
      return done;
    } catch (error) {
      // The service may carry the write out later.
      if (mayBeDone(error)) turn.releaseLater();
      else turn.release();
      throw error;
    }
  };

  /**
   * Waits for a write. Later reads of this operation ask the service again, except for the object that it returned, if
   * `type` says what that is. Who watches what the write touched learns of it.
   */
  readonly afterWrite = async <T>(
    write: Promise<T>,
    toTouches: (returned: T | null) => readonly Touch[],
    type?: NodeType<T & Identified>,
  ): Promise<T> => {
    let value: T;
    try {
      value = await write;
    } catch (error) {
      this.#forgetReads();
      if (mayBeDone(error)) this.live.wrote(toTouches(null), this.caller);
      throw error;
    }
    this.#forgetReads();
    if (type !== undefined) this.loaders.of(type).prime(value as T & Identified);
    this.live.wrote(toTouches(value), this.caller);
    return value;
  };

  #readOnce<T extends Identified>(
    list: List<T>,
    page: PricedPage,
    type: NodeType<T>,
  ): Promise<Connection<T> | null> {
    const byList = this.#connections.get(page) ?? new Map<string, Promise<unknown>>();
    this.#connections.set(page, byList);
    const connection = byList.get(list.key) ?? this.#read(list, page, type);
    byList.set(list.key, connection);
    // The key names the endpoint, and so the type of the items.
    return connection as Promise<Connection<T> | null>;
  }

  #read<T extends Identified>(
    list: List<T>,
    page: PricedPage,
    type: NodeType<T>,
  ): Promise<Connection<T> | null> {
    const { budget } = this;
    const { strategy, bounds, listOrder } = this.#options;
    const options = { strategy, bounds, listOrder, budget };
    const reading = readConnection(this.#remember(list, type), page, options);
    return list.filtersById ? reading.catch(nullIfUnknown) : reading;
  }

  #remember<T extends Identified>(list: List<T>, type: NodeType<T>): RememberedList<T> {
    const loader = this.loaders.of(type);
    const { attribution } = this;
    return new RememberedList(list, { loader, pagesRead: this.#pagesRead, attribution });
  }

  #forgetReads(): void {
    this.attribution?.forget();
    this.#pagesRead.clear();
    this.#connections.clear();
    this.loaders.forget();
  }
}

class NotWrittenError extends OperationalError {
  override readonly code = 'UPSTREAM_TIMEOUT';

  constructor() {
    super(
      'Nothing was written: others change the same object, and this change had no turn in time.',
    );
  }
}

/** Before the operation is priced. */
const NO_PAGES: ReadonlyMap<FieldNode, RequestedPage> = new Map();
