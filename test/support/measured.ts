/**
 * How many times as long, or as much memory, as promised something may take where a test measures it. `.ci/run` sets it, on a
 * machine that does little else. Without it there is no limit: a test must not fail because a machine is busy.
 */
export const MARGIN = Number(process.env.MEASURED_MARGIN ?? Number.POSITIVE_INFINITY);
