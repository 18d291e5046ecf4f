// Mounts the gateway into a server of node:http: `PORT=3000 node examples/library/node-http.js`.
import { createServer } from 'node:http';
import { createGateway } from 'messaging-graphql';

const gateway = await createGateway({ messagingUrl: process.env.MESSAGING_URL });

const server = createServer((request, response) => {
  const { pathname } = new URL(request.url, 'http://localhost');
  // The server decides the path. Below it are the files of the explorer.
  if (pathname.startsWith('/api/graphql')) gateway.handler(request, response);
  else response.end('the rest of the application\n');
});

server.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${server.address().port}/api/graphql`);
});

process.once('SIGTERM', async () => {
  server.close(); // No new connections.
  await gateway.close(); // Running operations are answered.
  server.closeIdleConnections();
});
