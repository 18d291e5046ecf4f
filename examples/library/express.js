// Mounts the gateway into an application of Express: `PORT=3000 node examples/library/express.js`.
import express from 'express';
import { createGateway } from 'messaging-graphql';

const gateway = await createGateway({ messagingUrl: process.env.MESSAGING_URL });
const app = express();

// Before json(): then large numbers in attachments keep all their digits. After it, everything else works, too.
app.use('/graphql', gateway.handler);
app.use(express.json());
app.get('/', (_request, response) => response.send('the rest of the application\n'));

const server = app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${server.address().port}/graphql`);
});

process.once('SIGTERM', async () => {
  server.close();
  await gateway.close();
  server.closeIdleConnections();
});
