import type { Plan } from '../document/plan.ts';
import { turnOf } from '../rest/thread.ts';
import { toText } from './answer-size.ts';
import type { OperationContext } from './context.ts';
import type { Executed } from './execute.ts';
import type { Pipeline } from './pipeline.ts';
import type { OperationResponse, ResponseParts } from './request.ts';
import { type Refused, toRefused } from './respond.ts';

/** A request whose operation has a plan: its document was parsed and validated, now or for an earlier request. */
export interface PlannedRequest {
  readonly plan: Plan;
  /** As the client sent them. */
  readonly variables: Readonly<Record<string, unknown>>;
  /** `extensions` beside `query`. */
  readonly extensions: Readonly<Record<string, unknown>>;
}

/** The media type of an answer for a client that can read none. */
const JSON_TYPE = 'application/json; charset=utf-8';

/** Runs an operation through the stages of the pipeline that follow its plan. */
export async function runPlanned(
  pipeline: Pipeline,
  { plan, variables, extensions }: PlannedRequest,
  context: OperationContext,
): Promise<OperationResponse> {
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
  const { operation } = plan;
  const responded = pipeline.respond(outcome, context, { operation, extensions });
  const { status = 200, retryAfterSeconds, result } = pipeline.report(responded, context);
  const headers: [string, string][] = [
    ['content-type', context.accepts.type ?? JSON_TYPE],
  ];
  if (retryAfterSeconds !== null)
    headers.push(['retry-after', String(retryAfterSeconds)]);
  const parts: ResponseParts = { status, headers, body: toText(result) };
  return parts as OperationResponse;
}
