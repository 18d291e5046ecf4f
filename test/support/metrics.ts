export const readMetrics = async ({ url }: { url: string }): Promise<string> =>
  (await fetch(`${url}/metrics`)).text();

/** Reads the values of one metric by labels, `{type="query"}`; without labels, by the empty text. */
export async function readMetric(gateway: { url: string }, metric: string) {
  const lines = (await readMetrics(gateway)).matchAll(/^(\w+)(\{[^}]*\})? (\S+)$/gm);
  return Object.fromEntries(
    [...lines].flatMap(([, name, labels = '', value]) =>
      name === metric ? [[labels, Number(value)]] : [],
    ),
  );
}
