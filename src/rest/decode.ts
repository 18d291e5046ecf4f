import { checkDrift, type JsonType, type ReportDrift, type Shape } from './drift.ts';
import { type Call, RestDecodeError } from './errors.ts';
import { FieldError, trouble, whyNotWritable } from './field-error.ts';
import type { ReadAnswer } from './send.ts';
import type { Timestamp } from './timestamp.ts';

/** An object as it came over the wire. */
export type WireObject = Readonly<Record<string, unknown>>;

/** How an object of the interface is read. */
export interface Decoder<T> {
  /** The fields that the interface names. */
  readonly shape: Shape;
  /** Reports every field that differs from the interface, even if the object can be read; throws FieldError. */
  readonly decode: (json: WireObject, call: Call, report: ReportDrift) => T;
}

/** The object that a decoder makes. */
export type Decoded<D> = D extends Decoder<infer T> ? T : never;

/**
 * Makes a decoder. `read` is the one place that lists the fields of an object: what the interface names, and the type of the object, follow
 * from it.
 */
export function decoder<T>(
  object: string,
  read: (wire: WireReader) => T,
): Decoder<Readonly<T>> {
  const shape = toShape(object, read);
  return {
    shape,
    decode(json, call, report) {
      checkDrift(shape, json, report);
      return read(new WireReader(json, call, report));
    },
  };
}

/** Lists the fields that `read` reads: it runs once without an object, and gets an empty value for each. */
function toShape(object: string, read: (wire: WireReader) => unknown): Shape {
  const types: Record<string, JsonType> = {};
  const inner: Record<string, Shape> = {};
  const noteField = (method: FieldMethod) => (field: string, of?: Decoder<unknown>) => {
    const [type, empty] = FIELD_TYPES[method];
    types[field] = type;
    if (of !== undefined) inner[field] = of.shape;
    return empty;
  };
  const methods = Object.keys(FIELD_TYPES) as FieldMethod[];
  const noting = Object.fromEntries(methods.map((method) => [method, noteField(method)]));
  const later = (field: string, part: ReadLater<unknown>) => part(wire as never, field);
  const wire: object = { ...noting, later };
  read(wire as never);
  const fields = Object.keys(types);
  return { object, fields, types, inner, sent: fields };
}

/** Reads an answer that is one object; throws RestDecodeError. */
export const object =
  <T>(decoder: Decoder<T>): ReadAnswer<T> =>
  (json, call, report) =>
    readObject(json, decoder, { call, report }, (trouble) => {
      throw invalidData(call, trouble);
    });

/** Reads one object; or returns what `refuse` makes of the reason why it cannot be read. */
export function readObject<T, E>(
  json: unknown,
  { decode }: Decoder<T>,
  { call, report }: { readonly call: Call; readonly report: ReportDrift },
  refuse: (trouble: string) => E,
): T | E {
  try {
    return decode(toWire(json, 'it'), call, report);
  } catch (error) {
    if (!(error instanceof FieldError)) throw error;
    return refuse(error.message);
  }
}

export const invalidData = (call: Call, trouble: string): RestDecodeError =>
  new RestDecodeError(call, `answered with invalid data: ${trouble}`);

export const isObject = (json: unknown): json is WireObject =>
  typeof json === 'object' && json !== null && !Array.isArray(json);

function toWire(json: unknown, field: string): WireObject {
  if (!isObject(json)) throw new FieldError(field, trouble(json, 'an object'));
  return json;
}

/** Reads the fields of one object, each by its name in the interface; throws FieldError. A missing one that may be null reads as null. */
export class WireReader {
  readonly call: Call;
  readonly #object: WireObject;
  readonly #report: ReportDrift;

  constructor(object: WireObject, call: Call, report: ReportDrift) {
    this.call = call;
    this.#object = object;
    this.#report = report;
  }

  /** A field that `read` reads when it is first asked for. */
  later<T>(field: string, read: ReadLater<T>): Later<T> {
    return new Later(this.#object[field], { field, call: this.call, read });
  }

  text(field: string): string {
    const value = this.#object[field];
    if (typeof value !== 'string')
      throw new FieldError(field, trouble(value, 'a string'));
    return value;
  }

  textOrNull(field: string): string | null {
    return this.#object[field] == null ? null : this.text(field);
  }

  /** An id. It must be well-formed Unicode, because a URL cannot carry any other text. */
  id(field: string): string {
    const value = this.text(field);
    if (!value.isWellFormed()) throw new FieldError(field, 'is not well-formed Unicode');
    return value;
  }

  /** The gateway writes null in a form as the empty text, and a service may store that as it is. So "" reads as null. */
  idOrNull(field: string): string | null {
    const value = this.#object[field];
    return value == null || value === '' ? null : this.id(field);
  }

  /** An integer in the service's unit. Open point: timestamp unit. */
  timestamp(field: string): Timestamp {
    const value = this.#object[field];
    if (!Number.isSafeInteger(value))
      throw new FieldError(field, trouble(value, 'an integer up to 2^53-1'));
    return value as Timestamp;
  }

  timestampOrNull(field: string): Timestamp | null {
    return this.#object[field] == null ? null : this.timestamp(field);
  }

  /** A count, or any other `Int` of the schema, which has 32 bits. */
  integer(field: string): number {
    const value = this.#object[field];
    if (value !== ~~(value as number))
      throw new FieldError(field, trouble(value, 'an integer up to 2^31-1'));
    return value;
  }

  flag(field: string): boolean {
    const value = this.#object[field];
    if (typeof value !== 'boolean')
      throw new FieldError(field, trouble(value, 'true or false'));
    return value;
  }

  list(field: string): readonly unknown[] {
    const value = this.#object[field];
    if (!Array.isArray(value)) throw new FieldError(field, trouble(value, 'a list'));
    return value;
  }

  /** A list of JSON values, passed on as they are. None may be null, and JSON must be able to carry each of them. */
  values(field: string): readonly unknown[] {
    const found = this.list(field);
    for (let index = 0; index < found.length; index += 1) {
      const value = found[index];
      if (value === null) throw new FieldError(`${field}[${index}]`, 'is null');
      const trouble = whyNotWritable(value);
      if (trouble !== null) throw new FieldError(`${field}[${index}]`, trouble);
    }
    return found;
  }

  objects(field: string): readonly WireObject[] {
    const found = this.list(field);
    const other = found.findIndex((element) => !isObject(element));
    if (other !== -1)
      throw new FieldError(`${field}[${other}]`, trouble(found[other], 'an object'));
    return found as readonly WireObject[];
  }

  /** An object inside; an error names the whole path, such as `contact.id`. */
  nested<T>(field: string, { decode }: Decoder<T>): T {
    const value = this.#object[field];
    if (value === undefined) throw new FieldError(field, trouble(value, 'an object'));
    try {
      return decode(toWire(value, field), this.call, this.#report);
    } catch (error) {
      if (!(error instanceof FieldError) || error.field === field) throw error;
      throw new FieldError(`${field}.${error.field}`, error.trouble);
    }
  }
}

/** Gets an object that has this field alone. */
type ReadLater<T> = (wire: WireReader, field: string) => T;

interface LaterOptions<T> {
  readonly field: string;
  readonly call: Call;
  readonly read: ReadLater<T>;
}

/**
 * A field that is read when it is first asked for: an operation that does not select it neither pays for it nor fails with it. It keeps
 * nothing else of its object.
 */
export class Later<T> {
  /** What was sent, until it is read. */
  #held: unknown;
  /** Null once it is read. */
  #unread: LaterOptions<T> | null;

  constructor(sent: unknown, options: LaterOptions<T>) {
    this.#held = sent;
    this.#unread = options;
  }

  /** Throws RestDecodeError. */
  get value(): T {
    if (this.#unread === null) return this.#held as T;
    const { field, call, read } = this.#unread;
    try {
      // A drift was reported when the object was decoded.
      this.#held = read(new WireReader({ [field]: this.#held }, call, () => {}), field);
      this.#unread = null;
      return this.#held as T;
    } catch (error) {
      if (!(error instanceof FieldError)) throw error;
      throw invalidData(call, error.message);
    }
  }

  /** Polls compare messages as JSON. What is malformed stands there as the reason. */
  toJSON(): unknown {
    return troubleInside([this])?.message ?? this.value;
  }
}

/** Why a part of a decoded object that is read later is malformed; null if none is. */
export function troubleInside(value: unknown): RestDecodeError | null {
  try {
    for (const part of Object.values(value as object))
      if (part instanceof Later) void part.value;
    return null;
  } catch (error) {
    if (!(error instanceof RestDecodeError)) throw error;
    return error;
  }
}

type FieldMethod = Exclude<keyof WireReader, 'call' | 'later'>;

/** The type of what each method reads, where it is not null, and an empty value. */
const FIELD_TYPES: Readonly<Record<FieldMethod, readonly [JsonType, unknown]>> = {
  text: ['string', ''],
  textOrNull: ['string', null],
  id: ['string', ''],
  idOrNull: ['string', null],
  timestamp: ['number', 0],
  timestampOrNull: ['number', null],
  integer: ['number', 0],
  flag: ['boolean', false],
  list: ['array', []],
  values: ['array', []],
  objects: ['array', []],
  nested: ['object', {}],
};

/** A list of strings. `field` is its name in the interface, because its key may be a user's data. */
export function texts(value: unknown, field: string): readonly string[] {
  if (!Array.isArray(value) || !value.every((each) => typeof each === 'string')) {
    throw new FieldError(field, trouble(value, 'a list of strings'));
  }
  return value;
}
