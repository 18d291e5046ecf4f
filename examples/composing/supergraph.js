import { composeServices } from '@theguild/federation-composition';
import { parse } from 'graphql';

/** Asks subgraphs for their schemas and composes them; returns the supergraph as text, or throws with what does not fit. */
export async function composeSupergraph(subgraphs) {
  const services = await Promise.all(
    subgraphs.map(async ({ name, url }) => ({
      name,
      url,
      typeDefs: parse(await readSchema(url)),
    })),
  );
  const { supergraphSdl, errors = [] } = composeServices(services);
  if (supergraphSdl !== undefined) return supergraphSdl;
  throw new Error(errors.map(({ message }) => message).join('\n'));
}

async function readSchema(url) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: '{ _service { sdl } }' }),
  }).catch((cause) => {
    throw new Error(`Nothing answers at ${url}. Start it first.`, { cause });
  });
  const { data, errors } = await response.json();
  if (data?._service) return data._service.sdl;
  throw new Error(`${url} has no schema for composers: ${JSON.stringify(errors)}`);
}
