/** Charts as SVG. Their colours can be read on light and on dark pages, and follow the reader's setting. */

export interface Series {
  readonly name: string;
  readonly values: readonly number[];
}

interface BarChart {
  readonly title: string;
  /** One group of bars for each. */
  readonly groups: readonly string[];
  /** Each has a value for every group. */
  readonly series: readonly Series[];
}

interface LineChart {
  readonly title: string;
  readonly xTitle: string;
  readonly yTitle: string;
  readonly x: readonly number[];
  /** Each has a value for every x. */
  readonly series: readonly Series[];
}

const WIDTH = 760;
const LEFT = 110;
const RIGHT = 70;
const LINE = 20;
const COLOURS = ['#2f81f7', '#8b949e', '#e5534b', '#d29922', '#3fb950', '#a371f7'];

const toXml = (text: string) =>
  text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
const round = (value: number) => `${Math.round(value * 10) / 10}`;
const text = (x: number, y: number, content: string, anchor = 'start') =>
  `<text x="${round(x)}" y="${round(y)}" text-anchor="${anchor}">${toXml(content)}</text>`;

function svg(height: number, title: string, body: readonly string[]): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${round(height)}" role="img">
<title>${toXml(title)}</title>
<style>
text { font: 13px system-ui, sans-serif; fill: #1f2328; }
.axis { stroke: #8b949e; stroke-width: 1; fill: none; }
.line { stroke-width: 2; fill: none; }
@media (prefers-color-scheme: dark) { text { fill: #e6edf3; } }
</style>
${body.join('\n')}
</svg>
`;
}

const colour = (index: number) => COLOURS[index % COLOURS.length] ?? '';

/** The title, and one line for each series, with its colour. */
const heading = (title: string, series: readonly Series[]): string[] => [
  text(0, 16, title),
  ...series.flatMap(({ name }, index) => [
    `<rect x="${LEFT}" y="${31 + index * LINE}" width="12" height="12" fill="${colour(index)}"/>`,
    text(LEFT + 18, 42 + index * LINE, name),
  ]),
];

/** Horizontal bars, each with its value. */
export function barChart({ title, groups, series }: BarChart): string {
  const bar = 15;
  const groupHeight = series.length * bar + 14;
  const top = 30 + series.length * LINE + 10;
  const longest = Math.max(...series.flatMap(({ values }) => values));
  const scale = (WIDTH - LEFT - RIGHT) / longest;
  const body = heading(title, series);
  for (const [at, group] of groups.entries()) {
    const y = top + at * groupHeight;
    body.push(text(LEFT - 10, y + (groupHeight - 14) / 2 + 5, group, 'end'));
    for (const [index, { values }] of series.entries()) {
      const value = values[at] ?? 0;
      const width = value * scale;
      body.push(
        `<rect class="bar" x="${LEFT}" y="${y + index * bar}" width="${round(width)}" height="${bar - 2}" fill="${colour(index)}"/>`,
        text(LEFT + width + 5, y + index * bar + bar - 4, value.toFixed(2)),
      );
    }
  }
  return svg(top + groups.length * groupHeight, title, body);
}

/** Lines over two logarithmic axes. */
export function lineChart({ title, xTitle, yTitle, x, series }: LineChart): string {
  const height = 280;
  const top = 30 + series.length * LINE + 24;
  const values = series.flatMap((one) => one.values);
  const bottomPower = Math.floor(Math.log10(Math.min(...values)));
  const topPower = Math.ceil(Math.log10(Math.max(...values)));
  const first = Math.log10(x[0] ?? 1);
  const span = Math.log10(x.at(-1) ?? 10) - first;
  const toX = (value: number) =>
    LEFT + ((Math.log10(value) - first) / span) * (WIDTH - LEFT - RIGHT);
  const toY = (value: number) =>
    top +
    height -
    ((Math.log10(value) - bottomPower) / (topPower - bottomPower)) * height;
  const body = heading(title, series);
  body.push(text(LEFT, top - 10, yTitle));
  for (let power = bottomPower; power <= topPower; power += 1) {
    const y = toY(10 ** power);
    body.push(
      `<path class="axis" opacity="0.4" d="M${LEFT} ${round(y)}H${WIDTH - RIGHT}"/>`,
    );
    body.push(text(LEFT - 8, y + 4, (10 ** power).toLocaleString('en'), 'end'));
  }
  for (const value of x) {
    body.push(text(toX(value), top + height + 18, value.toLocaleString('en'), 'middle'));
  }
  body.push(text((WIDTH + LEFT - RIGHT) / 2, top + height + 38, xTitle, 'middle'));
  for (const [index, one] of series.entries()) {
    const points = one.values.map(
      (value, at) => `${round(toX(x[at] ?? 1))} ${round(toY(value))}`,
    );
    body.push(
      `<path class="line" stroke="${colour(index)}" d="M${points.join('L')}"/>`,
      ...points.map((point) => {
        const [cx, cy] = point.split(' ');
        return `<circle cx="${cx}" cy="${cy}" r="4" fill="${colour(index)}"/>`;
      }),
    );
  }
  return svg(top + height + 50, title, body);
}
