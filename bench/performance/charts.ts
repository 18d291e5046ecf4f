/** Charts as text that Markdown viewers draw (Mermaid). */

export interface Chart {
  readonly title: string;
  readonly x: { readonly title: string; readonly values: readonly (number | string)[] };
  readonly y: { readonly title: string; readonly values: readonly number[] };
}

/** A line chart that begins at zero, so that what looks flat is flat. */
export function toChart({ title, x, y }: Chart): string {
  const highest = Number((Math.max(...y.values) * 1.2).toPrecision(2));
  return [
    '```mermaid',
    'xychart-beta',
    `  title "${title}"`,
    `  x-axis "${x.title}" [${x.values.join(', ')}]`,
    `  y-axis "${y.title}" 0 --> ${highest}`,
    `  line [${y.values.map((value) => Number(value.toPrecision(3))).join(', ')}]`,
    '```',
  ].join('\n');
}
