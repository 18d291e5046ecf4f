/**
 * Which of some positions have kept their order: a longest rising subsequence. What remains has moved; activity, for
 * example, moves a conversation to the head of its list.
 */
export function longestRising(positions: readonly number[]): readonly number[] {
  /** By length, the index of the smallest position that ends a rising sequence of that length. */
  const ends: number[] = [];
  const before: number[] = [];
  for (const [index, position] of positions.entries()) {
    let length = 0;
    let high = ends.length;
    while (length < high) {
      const middle = (length + high) >> 1;
      if ((positions[ends[middle] as number] as number) < position) length = middle + 1;
      else high = middle;
    }
    before[index] = length === 0 ? -1 : (ends[length - 1] as number);
    ends[length] = index;
  }
  const rising: number[] = [];
  for (let index = ends.at(-1) ?? -1; index >= 0; index = before[index] as number) {
    rising.push(positions[index] as number);
  }
  return rising.reverse();
}
