import type { DocumentNode, FormattedExecutionResult } from 'graphql';

type JsonObject = Readonly<Record<string, unknown>>;

/** What GraphQL Code Generator writes at a document: the types of its result and its variables. */
interface Typed<Data, Variables> {
  readonly __apiType?: ((variables: Variables) => Data) | undefined;
}

/** An operation, as a client would send it. */
// biome-ignore lint/suspicious/noExplicitAny: where it is not given, the document may have any result.
export interface ExecuteRequest<Data = any, Variables = JsonObject> {
  /**
   * The document, as text or parsed; with a typed one, `variables` and `data` have its types. May be left out where `extensions`
   * names a persisted operation.
   */
  readonly query?:
    | string
    | (DocumentNode & Typed<Data, Variables>)
    | ({ valueOf(): string } & Typed<Data, Variables>)
    | undefined;
  /** Values that JSON has, or that become JSON, such as a Date. */
  readonly variables?: NoInfer<Variables> | null | undefined;
  /** Needed if the document has several operations. */
  readonly operationName?: string | null | undefined;
  /**
   * The caller's bearer token, or a whole `Authorization` header. Without it, every field that needs the service is
   * `UNAUTHENTICATED`.
   */
  readonly token?: string | null | undefined;
  /** The client's headers, of which those of `forwardHeaders` go on to the service. The case of names does not matter. */
  readonly headers?: Readonly<Record<string, unknown>> | null | undefined;
  /** Stops the operation and its calls; the promise is then rejected with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  readonly extensions?: JsonObject | null | undefined;
  /** For the log and the calls to the service, as `X-Request-Id` is over HTTP. Default: a new one. */
  readonly requestId?: string | undefined;
}

/** Executes a query or a mutation in this process. Only an aborted signal rejects the promise: errors are in the result. */
export type Execute = <Data = Record<string, unknown>, Variables = JsonObject>(
  request: ExecuteRequest<Data, Variables>,
) => Promise<FormattedExecutionResult<Data>>;
