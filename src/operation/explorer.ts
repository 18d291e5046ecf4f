import type { ApolloServerPlugin } from '@apollo/server';
import { ApolloServerPluginLandingPageDisabled } from '@apollo/server/plugin/disabled';
import { type Explorer, explorerPage } from './explorer-page.ts';

/** The page for browsers that open /graphql, with `token` in the header of its first operation. */
export function explorerPlugin(explorer: Explorer, token: string): ApolloServerPlugin {
  // Without this one, Apollo adds a page of its own.
  if (explorer === false) return ApolloServerPluginLandingPageDisabled();
  const html = explorerPage(explorer, token);
  return {
    serverWillStart: async () => ({ renderLandingPage: async () => ({ html }) }),
  };
}
