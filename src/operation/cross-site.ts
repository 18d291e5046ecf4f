import { GraphQLError } from 'graphql';

/** Apollo refuses what a page of another site can send, in a text of several lines that no code tells from others. */
export const isCrossSiteRefusal = (error: unknown): boolean =>
  error instanceof GraphQLError && error.message.includes('Cross-Site Request Forgery');

export const CROSS_SITE = new GraphQLError(
  'A page of another site could have sent this request, so it needs one more header: send "Authorization: Bearer <ACCESS_TOKEN>" or, without a token, "Apollo-Require-Preflight: true".',
  { extensions: { code: 'BAD_REQUEST' } },
);
