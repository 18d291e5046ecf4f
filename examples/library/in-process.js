// Executes an operation in this process, without HTTP: `node examples/library/in-process.js [token]`.
// Without MESSAGING_URL the data are samples, and a sample token is used.
import { createGateway } from 'messaging-graphql';

const gateway = await createGateway({
  messagingUrl: process.env.MESSAGING_URL,
  logLevel: 'warn',
});

const { data, errors } = await gateway.execute({
  query: `query Inbox($first: Int) {
    conversations(first: $first) {
      nodes { id messages(first: 1) { nodes { message } } }
    }
  }`,
  variables: { first: 3 },
  token: process.argv[2] ?? gateway.sampleUsers[0]?.token,
  // Whoever waits for the answer may give up: then no call to the service is left running.
  signal: AbortSignal.timeout(10_000),
});

// Errors of fields come beside the data of all others.
for (const error of errors ?? []) console.error(error.path?.join('.'), error.message);
console.log(JSON.stringify(data, null, 2));

await gateway.close();
