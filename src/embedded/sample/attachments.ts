import type { Answers } from '../answers.ts';
import type { Random } from './random.ts';

type Attachment = Readonly<Record<string, unknown>>;

/** With objects in objects. */
const SAMPLES: readonly [Attachment, ...Attachment[]] = [
  {
    type: 'image',
    url: 'https://media.example/images/harbour.jpg',
    size: { width: 1600, height: 1067, bytes: 412_300 },
    caption: 'the harbour at dusk',
  },
  {
    type: 'file',
    url: 'https://media.example/files/itinerary-v3.pdf',
    file: { name: 'itinerary v3 (final).pdf', mime: 'application/pdf', bytes: 88_214 },
  },
  {
    type: 'voice',
    url: 'https://media.example/voice/note-17.ogg',
    duration: 23.4,
    waveform: [2, 9, 14, 31, 22, 8, 3],
  },
  {
    type: 'location',
    location: {
      name: 'Miradouro da Graça',
      position: { latitude: 38.7163, longitude: -9.1313 },
      live: false,
    },
  },
  {
    type: 'image',
    url: 'https://media.example/images/whiteboard.png',
    size: { width: 2048, height: 1536, bytes: 977_001 },
    caption: null,
  },
];

/** Picks an attachment in the given shape. Open point: attachment fields. */
export function createAttachment(random: Random, shape: Answers['attachments']): object {
  const sample = random.pick(SAMPLES);
  if (shape === 'bare') return { type: sample.type };
  return shape === 'flat' ? flatten(sample) : sample;
}

/** On one level: the fields of an object instead of the object, without lists and nulls. */
const flatten = (fields: object): object =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => {
      if (value === null || Array.isArray(value)) return [];
      return typeof value === 'object' ? Object.entries(flatten(value)) : [[name, value]];
    }),
  );
