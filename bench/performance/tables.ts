/** The table of a measurement, as Markdown. */
import type { Condition, Figures, Measurement } from './measure.ts';
import { geometricMean, median, quantile } from './statistics.ts';
import { floor } from './targets.ts';
import { isInMean, MODERATE } from './workloads.ts';

/** A name, and a cell for each target. */
type Row = readonly string[];

/** Three digits that count: 4.73, 0.447, 0.0290. Above that all of them: 1980. */
const digits = (value: number): string =>
  value >= 1000 ? value.toFixed(0) : value.toPrecision(3);

const withRange = (values: readonly number[]): string =>
  `${digits(median(values))} (${digits(Math.min(...values))} to ${digits(Math.max(...values))})`;

const cpuOf = ({ slices }: Figures, condition: Condition): number[] =>
  slices.get(condition)?.cpu ?? [];

/** A row for each condition, the headline first. With a floor, each figure is also given in multiples of the floor's. */
export function toTable(measurement: Measurement): string {
  const { conditions, figures, rates } = measurement;
  const base = figures.find(({ target }) => target === floor);
  const toRatio = (one: Figures, condition: Condition): number =>
    base === undefined
      ? Number.NaN
      : median(cpuOf(one, condition)) / median(cpuOf(base, condition));

  const row = (name: string, toCell: (one: Figures) => string): Row => [
    name,
    ...figures.map(toCell),
  ];
  const meanRow = (acceptEncoding: string, share: number | null): Row[] => {
    const of = conditions.filter(
      (one) =>
        isInMean(one.workload) &&
        one.acceptEncoding === acceptEncoding &&
        one.share === share,
    );
    if (base === undefined || of.length < 2) return [];
    const names = of.map(({ workload }) => workload.name).join(', ');
    const rate = share === null ? 'at full rate' : 'at equal moderate rates';
    return [
      row(
        `**geometric mean of ${names}, ${rate}${suffix(acceptEncoding)}: times the floor**`,
        (one) => {
          const mean = geometricMean(of.map((condition) => toRatio(one, condition)));
          return `**${mean.toFixed(2)}**`;
        },
      ),
    ];
  };
  const conditionRow = (condition: Condition): Row =>
    row(nameOf(condition, rates), (one) => {
      const ratio =
        base === undefined ? '' : `, **${toRatio(one, condition).toFixed(2)}**`;
      const refused = one.slices.get(condition)?.refused ?? 0;
      const note = refused === 0 ? '' : `; ${refused} refused`;
      return `${withRange(cpuOf(one, condition))}${ratio}${note}`;
    });
  const latencyRow = (condition: Condition): Row =>
    row(`latency of ${nameOf(condition, rates)}`, ({ slices }) => {
      const { latencies = [] } = slices.get(condition) ?? {};
      return [0.5, 0.99].map((share) => digits(quantile(latencies, share))).join(', ');
    });
  const rateRow = (condition: Condition): Row =>
    row(`${nameOf(condition, rates)}: operations a second`, ({ slices }) =>
      withRange(slices.get(condition)?.perSecond ?? []),
    );

  const encodings = [...new Set(conditions.map((one) => one.acceptEncoding))];
  const atRates = conditions.filter(({ share }) => share !== null);
  const atFull = conditions.filter(({ share }) => share === null);
  const rows = [
    ...[MODERATE, null].flatMap((share) =>
      encodings.flatMap((encoding) => meanRow(encoding, share)),
    ),
    ...[...atRates, ...atFull].map(conditionRow),
    ...(base === undefined ? atFull.map(rateRow) : []),
    ...atRates.filter((one) => one.acceptEncoding === encodings[0]).map(latencyRow),
    row('memory at most (MB)', ({ memory }) => median(memory).toFixed(0)),
  ];
  const names = figures.map(({ target }) => target.name);
  return [['', ...names], ['---', ...names.map(() => '---:')], ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

const suffix = (acceptEncoding: string): string =>
  acceptEncoding === '' ? '' : ', compressed';

function nameOf(condition: Condition, rates: Measurement['rates']): string {
  const { workload, acceptEncoding, share } = condition;
  const rate = rates.get(condition);
  const pace =
    share === null || rate === undefined
      ? 'full rate'
      : `${share * 100} %: ${rate.toFixed()} a second`;
  return `${workload.name}, ${pace}${suffix(acceptEncoding)}`;
}
