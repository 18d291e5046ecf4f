/** The place of one change, from which a client can go on later. */
export class ResumePoint {
  /** The resume token; null until it is asked for. */
  made: string | null = null;
  readonly #make: () => string;

  constructor(make: () => string) {
    this.#make = make;
  }

  get token(): string {
    this.made ??= this.#make();
    return this.made;
  }
}
