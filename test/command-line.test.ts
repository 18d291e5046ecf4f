import { expect, test } from 'vitest';
import { readArguments, USAGE } from '../src/arguments.ts';
import { startEmbeddedCommand } from '../src/commands.ts';

test.each([
  [[], { command: 'gateway' }],
  [['-h'], { command: 'help' }],
  [['embedded', '--help'], { command: 'help' }],
  [['-v'], { command: 'version' }],
  [['--profile'], { command: 'profile' }],
  [['schema', '--federation'], { command: 'schema', federation: true }],
  [['embedded', 'order=oldest'], { command: 'embedded', words: ['order=oldest'] }],
  [['check', '--help'], { command: 'check', words: ['--help'] }],
])('the words %j are a command', (words, request) => {
  expect(readArguments(words)).toEqual(request);
});

test.each([
  [['serve'], 'There is no command "serve".'],
  [['worker'], 'There is no command "worker".'],
  [['schema', 'message'], 'The command "schema" takes no "message".'],
  [['--federation'], '--federation goes with the command "schema" alone.'],
  [['-x'], 'There is no option "-x".'],
  [['--verbose=a-secret'], 'There is no option "--verbose".'],
  [['embedded', '--foo'], 'There is no option "--foo".'],
  [['--profile=yes'], '--profile takes no value.'],
  [['embedded', '--profile'], '--profile goes with no command.'],
])('the words %j are refused with a sentence and the usage', (words, sentence) => {
  expect(() => readArguments(words)).toThrow(
    expect.objectContaining({ message: `${sentence}\n\n${USAGE}` }),
  );
});

const ADDRESS = 'http://ann:s3cret@api.example';

// security: password-in-address
test.each([[[ADDRESS]], [['schema', ADDRESS]], [[`--${ADDRESS}`]]])(
  'an address in the place of something else is repeated without its password: %j',
  (words) => {
    expect(() => readArguments(words)).toThrow(/^(?!.*s3cret).*\[hidden\]@api\.example/);
  },
);

// security: password-in-address
test.each([ADDRESS, `order=${ADDRESS}`])(
  'the embedded service repeats an address without its password: %s',
  async (word) => {
    await expect(startEmbeddedCommand({}, [word])).rejects.toThrow(
      /^(?!.*s3cret).*\[hidden\]@api\.example/,
    );
  },
);
