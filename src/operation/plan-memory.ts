import { LRUCache } from 'lru-cache';
import { memoryOf, type Plan } from '../document/plan.ts';
import type { TrustedDocuments } from '../document/trusted.ts';
import { isObject } from '../rest/decode.ts';
import type { HttpParams, PlannedRequest } from './request.ts';

export type PlanMemory = ReturnType<typeof createPlanMemory>;

/** The parameters by which a request names its operation. */
interface NamedOperation {
  readonly query?: unknown;
  readonly operationName?: unknown;
  readonly extensions?: unknown;
}

/** Those used least recently are dropped. */
const MAX_PLANS = 4000;
/** Unit: bytes. */
const MAX_BYTES = 120_000 * 1024;
/** How many operations that were executed once are remembered. */
const MAX_SEEN = 10_000;

interface Kept {
  readonly plan: Plan;
  /** How many selections it kept when its memory was computed. */
  readonly selections: number;
}

/** The plans of operations that are repeated. Those made under an earlier manifest of trusted documents are not used. */
export function createPlanMemory(trusted: TrustedDocuments | null = null) {
  const plans = new LRUCache<string, Kept>({
    max: MAX_PLANS,
    maxSize: MAX_BYTES,
    // The key has the whole text once more.
    sizeCalculation: ({ plan, selections }, key) =>
      memoryOf(plan.prepared, selections) + key.length * 2,
  });
  const seen = new Set<string>();

  const keep = (key: string, plan: Plan) =>
    plans.set(key, { plan, selections: plan.countKept() });

  return {
    /**
     * The request with its plan, if it is a POST that names a known operation by its text or by its hash, and its other
     * parameters have the right types. Null for any other request, which Apollo reads.
     */
    find({ method, body }: HttpParams): PlannedRequest | null {
      if (method !== 'POST' || !isObject(body)) return null;
      const { variables, extensions } = body;
      if (!isObjectOrMissing(variables) || !isObjectOrMissing(extensions)) return null;
      const key = toKey(body);
      const known = key === null ? undefined : plans.get(key);
      if (key === null || known === undefined) return null;
      const { plan } = known;
      if (trusted !== null && plan.prepared.version !== trusted.version) return null;
      // A plan grows when variables select what none selected before. It is counted again then.
      if (plan.countKept() !== known.selections) keep(key, plan);
      return { plan, variables: variables ?? NONE, extensions: extensions ?? NONE };
    },
    /**
     * To be called when an operation has got a plan; keeps it from the second time on, because most operations are never
     * repeated. `hash`: of the text.
     */
    saw(operation: NamedOperation, hash: string, plan: Plan): void {
      const key = toKey(operation);
      if (key === null) return;
      const name = `${hash} ${operation.operationName ?? null}`;
      if (seen.delete(name)) return void keep(key, plan);
      if (seen.size === MAX_SEEN) seen.clear();
      seen.add(name);
    },
  };
}

const NONE = Object.freeze({});

const isObjectOrMissing = (
  value: unknown,
): value is Readonly<Record<string, unknown>> | null | undefined =>
  value == null || isObject(value);

/** A unique key: the length of the operation name, the name, and the document; or the document alone. Null if a type is wrong. */
function toKey(operation: NamedOperation): string | null {
  const { query, operationName = null, extensions } = operation;
  if (operationName !== null && typeof operationName !== 'string') return null;
  const persisted = isObject(extensions) ? extensions.persistedQuery : null;
  const document = toDocument(query, persisted);
  const name = operationName === null ? '' : `${operationName.length} ${operationName}`;
  return document && `${name} ${document}`;
}

/** The text; or, for a persisted operation, its hash. Null if neither is given, or both are: then Apollo compares them. */
function toDocument(query: unknown, persisted: unknown): string | null {
  if (persisted == null)
    return typeof query === 'string' && query !== '' ? `text ${query}` : null;
  if (query !== undefined || !isObject(persisted) || persisted.version !== 1) return null;
  const { sha256Hash: hash } = persisted;
  return typeof hash === 'string' ? `hash ${hash}` : null;
}
