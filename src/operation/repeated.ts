import type { Plan } from '../document/plan.ts';
import { turnOf } from '../rest/thread.ts';
import { toText } from './answer-size.ts';
import type { OperationContext } from './context.ts';
import type { Executed } from './execute.ts';
import type { Pipeline } from './pipeline.ts';
import { type PlainPost, toPlainPost } from './plain-post.ts';
import type { Reported } from './report.ts';
import type { OperationRequest, OperationResponse, ResponseParts } from './request.ts';
import { type Refused, toRefused } from './respond.ts';

export interface RepeatedOptions {
  /** The plan of a request whose document was read before; undefined if there is none. */
  readonly find: (post: PlainPost) => Plan | undefined;
  readonly createContext: (request: OperationRequest) => OperationContext;
}

/**
 * Runs operations that have a plan: their documents were parsed and validated before, so they need only the stages from
 * `check` on. Returns null for every other request, before anything has begun.
 */
export const createRepeated =
  (pipeline: Pipeline, { find, createContext }: RepeatedOptions) =>
  (request: OperationRequest): Promise<OperationResponse> | null => {
    const post = toPlainPost(request.params);
    const plan = post && find(post);
    const { type } = request.accepts;
    if (post === null || plan == null || type === null) return null;
    return run(pipeline, { plan, post, type }, createContext(request));
  };

interface Repeated {
  readonly plan: Plan;
  readonly post: PlainPost;
  /** The media type of the answer. */
  readonly type: string;
}

async function run(
  pipeline: Pipeline,
  { plan, post, type }: Repeated,
  context: OperationContext,
): Promise<OperationResponse> {
  const { variables, extensions } = post;
  const { operation } = plan;
  context.observer.start();
  try {
    let outcome: Executed | Refused;
    try {
      const checked = pipeline.check(plan, variables, context);
      const turn = turnOf(context.caller);
      if (turn !== undefined) await turn;
      outcome = await pipeline.execute(checked, context);
    } catch (error) {
      outcome = toRefused(error);
    }
    const turn = turnOf(context.caller);
    if (turn !== undefined) await turn;
    const responded = pipeline.respond(outcome, context, { operation, extensions });
    return toResponse(pipeline.report(responded, context), type);
  } finally {
    context.meter.close();
  }
}

function toResponse(
  { status = 200, retryAfterSeconds, result }: Reported,
  type: string,
): OperationResponse {
  const headers: [string, string][] = [['content-type', type]];
  if (retryAfterSeconds !== null)
    headers.push(['retry-after', String(retryAfterSeconds)]);
  const parts: ResponseParts = { status, headers, body: toText(result) };
  return parts as OperationResponse;
}
