import type { OperationRequest, OperationResponse } from './request.ts';

/** Runs GraphQL requests. */
export interface Operations {
  run(request: OperationRequest): Promise<OperationResponse>;
  stop(): Promise<void>;
}
