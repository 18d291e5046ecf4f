import type { Registry } from 'prom-client';
import {
  type MetricName,
  type ReadMetric,
  registerRead,
  registerSamples,
  toLabels,
} from './metric-table.ts';

/** What is counted under one combination of label values. */
interface Series<T> {
  readonly labels: readonly string[];
  readonly counted: T;
}

interface Branch<T> {
  readonly byValue: Map<string, Branch<T>>;
  series: Series<T> | null;
}

/**
 * Series, found by the values of their labels in the order of the metric's row. Prometheus' library hashes an object of labels
 * at each count; one map for each label takes a tenth of that.
 */
function createSeries<T>(create: () => T) {
  const all: Series<T>[] = [];
  const toBranch = (): Branch<T> => ({ byValue: new Map(), series: null });
  const root = toBranch();
  const add = (labels: readonly string[]): Series<T> => {
    const series = { labels, counted: create() };
    all.push(series);
    return series;
  };
  return {
    all,
    of(labels: readonly string[]): T {
      let branch = root;
      for (const value of labels) {
        const known = branch.byValue.get(value);
        const next = known ?? toBranch();
        if (known === undefined) branch.byValue.set(value, next);
        branch = next;
      }
      branch.series ??= add(labels);
      return branch.series.counted;
    },
  };
}

/** Counts in a closed set of labels. */
export function createCounter() {
  const series = createSeries(() => ({ value: 0 }));
  return {
    increment(...labels: string[]): void {
      series.of(labels).value += 1;
    },
    read: (): ReturnType<ReadMetric> =>
      series.all.map(({ labels, counted }) => [...labels, counted.value] as const),
  };
}

/** Registers a counter, and returns the function that counts. */
export function registerCounter(
  registry: Registry,
  name: MetricName,
): (...labels: string[]) => void {
  const { increment, read } = createCounter();
  registerRead(registry, name, read);
  return increment;
}

/** Registers a histogram, and returns the function that takes its values. `bounds` ascend. */
export function registerHistogram(
  registry: Registry,
  name: MetricName,
  bounds: readonly number[],
): (value: number, ...labels: string[]) => void {
  const series = createSeries(() => ({
    sum: 0,
    count: 0,
    /** For each bound: how many values are at most this bound, and above the one before. */
    within: bounds.map(() => 0),
  }));

  const toSamples = ({ labels: values, counted }: (typeof series.all)[number]) => {
    const labels = toLabels(name, values);
    const sample = (suffix: string, value: number, le: Record<string, string> = {}) => ({
      metricName: name + suffix,
      labels: { ...le, ...labels },
      value,
    });
    let total = 0;
    const buckets = bounds.map((le, i) => {
      total += counted.within[i] ?? 0;
      return sample('_bucket', total, { le: String(le) });
    });
    return [
      ...buckets,
      sample('_bucket', counted.count, { le: '+Inf' }),
      sample('_sum', counted.sum),
      sample('_count', counted.count),
    ];
  };
  registerSamples(registry, name, () => series.all.flatMap(toSamples));

  return (value, ...labels) => {
    const counted = series.of(labels);
    counted.sum += value;
    counted.count += 1;
    const bucket = bounds.findIndex((bound) => value <= bound);
    if (bucket !== -1) counted.within[bucket] = (counted.within[bucket] ?? 0) + 1;
  };
}
