/** Something that was remembered, and where it stands now. */
export interface Mark {
  readonly id: string;
  readonly index: number;
}

/** Of marks in the order in which they were remembered, those that have kept it. */
export interface Kept {
  /** Those of any of the largest sets that stand in order. */
  readonly possible: readonly Mark[];
  /** Those of all of them; of two neighbours that have changed places, either may have moved. */
  readonly certain: readonly Mark[];
}

/** As few as possible must have been moved for the others to stand as they do. */
export function keepOrder(marks: readonly Mark[]): Kept {
  const upTo = longestRuns(marks);
  const mirrored = marks.map(({ id, index }) => ({ id, index: -index })).reverse();
  const from = longestRuns(mirrored).reverse();
  const longest = Math.max(0, ...upTo);
  const steps = marks.map((mark, at) => ({
    mark,
    step: upTo[at] ?? 0,
    isKept: (upTo[at] ?? 0) + (from[at] ?? 0) - 1 === longest,
  }));
  const kept = steps.filter(({ isKept }) => isKept);
  // Two that could be the same step of the run are both in doubt.
  const certain = kept.filter(
    ({ step }) => kept.filter((other) => other.step === step).length === 1,
  );
  return {
    possible: kept.map(({ mark }) => mark),
    certain: certain.map(({ mark }) => mark),
  };
}

/** For each mark, how many of those in front of it, and itself, stand in order at most. */
function longestRuns(marks: readonly Mark[]): number[] {
  const runs: number[] = [];
  for (const { index } of marks) {
    const inFront = runs.filter((_run, at) => (marks[at]?.index ?? index) < index);
    runs.push(Math.max(0, ...inFront) + 1);
  }
  return runs;
}

/** Marks in groups, each as long as those that follow one another stand together. */
export function toGroups(
  marks: readonly Mark[],
  isTogether: (one: Mark, next: Mark) => boolean,
): readonly (readonly Mark[])[] {
  const groups: Mark[][] = [];
  for (const mark of marks) {
    const group = groups.at(-1);
    const last = group?.at(-1);
    if (group !== undefined && last !== undefined && isTogether(last, mark))
      group.push(mark);
    else groups.push([mark]);
  }
  return groups;
}
