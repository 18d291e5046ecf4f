// Mounts the gateway into an application of Fastify, and logs with its logger: `PORT=3000 node examples/library/fastify.js`.
import { fastify } from 'fastify';
import { createGateway } from 'messaging-graphql';

const app = fastify({ logger: { level: 'warn' } });
const gateway = await createGateway({
  messagingUrl: process.env.MESSAGING_URL,
  logger: app.log,
});

await app.register(gateway.fastify, { prefix: '/api' });
app.get('/', () => 'the rest of the application\n');
// The gateway's own metrics, for the application's page.
app.get('/metrics', () => gateway.metrics());
app.addHook('preClose', () => gateway.close());

const address = await app.listen({ port: Number(process.env.PORT ?? 3000) });
console.log(`${address}/api/graphql`);

process.once('SIGTERM', () => app.close());
