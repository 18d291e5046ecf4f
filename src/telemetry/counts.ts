import type { Metric, Registry } from 'prom-client';
import type { CollectedMetric } from './collected.ts';

type Labels = Readonly<Record<string, string>>;

/** What is counted under one combination of label values. */
interface Series<T> {
  readonly labels: Labels;
  readonly counted: T;
}

interface Branch<T> {
  readonly byValue: Map<string, Branch<T>>;
  series: Series<T> | null;
}

/**
 * Series, found by the values of their labels in the order of `labelNames`. Prometheus' library hashes an object of labels
 * at each count; one map for each label takes a tenth of that.
 */
function createSeries<T>(labelNames: readonly string[], create: () => T) {
  const all: Series<T>[] = [];
  const toBranch = (): Branch<T> => ({ byValue: new Map(), series: null });
  const root = toBranch();
  const add = (values: readonly string[]): Series<T> => {
    const labels = Object.fromEntries(
      labelNames.map((name, i) => [name, values[i] ?? '']),
    );
    const series = { labels, counted: create() };
    all.push(series);
    return series;
  };
  return {
    all,
    of(values: readonly string[]): T {
      let branch = root;
      for (const value of values) {
        const known = branch.byValue.get(value);
        const next = known ?? toBranch();
        if (known === undefined) branch.byValue.set(value, next);
        branch = next;
      }
      branch.series ??= add(values);
      return branch.series.counted;
    },
  };
}

/** Name, help and names of labels; the values of labels must come from closed sets. */
type Described = Pick<CollectedMetric, 'name' | 'help' | 'labelNames'>;

export interface Counter {
  readonly metric: CollectedMetric;
  increment(...labelValues: string[]): void;
}

export function createCounter(described: Described): Counter {
  const series = createSeries(described.labelNames, () => ({ value: 0 }));
  return {
    metric: {
      ...described,
      type: 'counter',
      read: () => series.all.map(({ labels, counted }) => ({ labels, ...counted })),
    },
    increment(...labelValues) {
      series.of(labelValues).value += 1;
    },
  };
}

export interface Histogram {
  observe(value: number, ...labelValues: string[]): void;
}

/** Registers a histogram; `bounds` ascend. */
export function registerHistogram(
  registry: Registry,
  { bounds, name, help, labelNames }: Described & { readonly bounds: readonly number[] },
): Histogram {
  const series = createSeries(labelNames, () => ({
    sum: 0,
    count: 0,
    /** For each bound: how many values are at most this bound, and above the one before. */
    within: bounds.map(() => 0),
  }));

  const toSamples = ({ labels, counted }: (typeof series.all)[number]) => {
    let total = 0;
    const buckets = bounds.map((le, i) => {
      total += counted.within[i] ?? 0;
      return sample('_bucket', { le: String(le), ...labels }, total);
    });
    return [
      ...buckets,
      sample('_bucket', { le: '+Inf', ...labels }, counted.count),
      sample('_sum', labels, counted.sum),
      sample('_count', labels, counted.count),
    ];
  };
  const sample = (suffix: string, labels: Labels, value: number) => ({
    metricName: name + suffix,
    labels,
    value,
  });
  // prom-client prints every registered object that has `get`. Its types accept only its own histograms, whose counts
  // cannot be set.
  const metric = {
    name,
    get: async () => ({
      name,
      help,
      type: 'histogram',
      aggregator: 'sum',
      values: series.all.flatMap(toSamples),
    }),
  };
  registry.registerMetric(metric as unknown as Metric);

  return {
    observe(value, ...labelValues) {
      const counted = series.of(labelValues);
      counted.sum += value;
      counted.count += 1;
      const bucket = bounds.findIndex((bound) => value <= bound);
      if (bucket !== -1) counted.within[bucket] = (counted.within[bucket] ?? 0) + 1;
    },
  };
}
