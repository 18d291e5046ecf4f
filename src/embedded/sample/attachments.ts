import type { Answers } from '../answers.ts';
import type { Random } from './random.ts';

interface Sample {
  nested: object;
  flat: { type: string; [field: string]: unknown };
}

/** Each attachment in two shapes: with objects in objects, and on one level. */
const SAMPLES: readonly [Sample, ...Sample[]] = [
  {
    nested: {
      type: 'image',
      url: 'https://media.example/images/harbour.jpg',
      size: { width: 1600, height: 1067, bytes: 412_300 },
      caption: 'the harbour at dusk',
    },
    flat: {
      type: 'image',
      url: 'https://media.example/images/harbour.jpg',
      width: 1600,
      height: 1067,
    },
  },
  {
    nested: {
      type: 'file',
      url: 'https://media.example/files/itinerary-v3.pdf',
      file: { name: 'itinerary v3 (final).pdf', mime: 'application/pdf', bytes: 88_214 },
    },
    flat: {
      type: 'file',
      url: 'https://media.example/files/itinerary-v3.pdf',
      name: 'itinerary v3 (final).pdf',
    },
  },
  {
    nested: {
      type: 'voice',
      url: 'https://media.example/voice/note-17.ogg',
      duration: 23.4,
      waveform: [2, 9, 14, 31, 22, 8, 3],
    },
    flat: {
      type: 'voice',
      url: 'https://media.example/voice/note-17.ogg',
      duration: 23.4,
    },
  },
  {
    nested: {
      type: 'location',
      location: {
        name: 'Miradouro da Graça',
        position: { latitude: 38.7163, longitude: -9.1313 },
        live: false,
      },
    },
    flat: { type: 'location', latitude: 38.7163, longitude: -9.1313 },
  },
  {
    nested: {
      type: 'image',
      url: 'https://media.example/images/whiteboard.png',
      size: { width: 2048, height: 1536, bytes: 977_001 },
      caption: null,
    },
    flat: {
      type: 'image',
      url: 'https://media.example/images/whiteboard.png',
      width: 2048,
      height: 1536,
    },
  },
];

/** Picks an attachment in the given shape. Open point: attachment fields. */
export function createAttachment(random: Random, shape: Answers['attachments']): object {
  const sample = random.pick(SAMPLES);
  return shape === 'bare' ? { type: sample.flat.type } : sample[shape];
}
