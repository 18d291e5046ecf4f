// security: unreadable-requests
import { deepEqual, equal, match } from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setDefaultCACertificates } from 'node:tls';
import { LAUNCHER } from '../support/command.ts';
import { serve } from '../support/http.ts';
import { certificateFile } from '../support/tls-service.ts';
import { check } from './check.ts';
import { startServer } from './processes.ts';
import { askOnce } from './replicas/load.ts';
import { startNginx } from './replicas/nginx.ts';
import { findPorts, until } from './replicas/ports.ts';

/** Sends requests through a real nginx, beside Debian's own site: those of any name, those that the gateway refuses, those over TLS. */

const READ = '{ conversation(id: "conv_lisbon_trip") { id } }';
const ANSWER = { data: { conversation: { id: 'conv_lisbon_trip' } } };
const LONG = 'x'.repeat(7000);
const BODY = 'x'.repeat(1_000_000);
/** Node cannot read their heads, so it closes the connection before nginx has sent the bodies. */
const UNREADABLE = [
  `POST /graphql HTTP/1.1\r\nHost: a\r\nContent-Length: ${BODY.length}\r\nA: ${LONG}\r\nB: ${LONG}\r\nC: ${LONG}\r\n\r\n${BODY}`,
  `POST /graphql HTTP/1.1\r\nHost: a\r\nContent-Length: ${BODY.length}\r\nA: \x01\r\n\r\n${BODY}`,
  `MESSAGE /graphql HTTP/1.1\r\nHost: a\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`,
];

/** What `localhost` may mean on this machine. */
const ADDRESSES = ['127.0.0.1', '::1'].filter((address) =>
  networkInterfaces().lo?.some((one) => one.address === address),
);

const folder = await mkdtemp(join(tmpdir(), 'messaging-graphql-refused-'));
// nginx, started by root, works as another user.
await chmod(folder, 0o777);
try {
  const [nginxPort = 0, plainPort = 0, tlsPort = 0, ...ports] = await findPorts(6);
  await using stack = new AsyncDisposableStack();
  for (const port of ports)
    stack.use(
      await startServer(process.execPath, [LAUNCHER], {
        env: { PORT: `${port}`, LOG_LEVEL: 'error' },
      }),
    );
  const nginx = stack.use(await startNginx(folder, nginxPort, ports));

  /** Resolves when nginx has answered, or closed the connection. */
  async function sendRaw(text: string): Promise<void> {
    const socket = connect(nginxPort, '127.0.0.1', () => socket.write(text));
    socket.on('error', () => {});
    socket.on('data', () => socket.destroy());
    await once(socket, 'close');
  }

  await check("every name leads past Debian's own site to the gateway", async () => {
    const names = ['127.0.0.1', 'localhost', 'chat.example', `[::1]:${nginxPort}`];
    for (const address of ADDRESSES)
      for (const name of names) {
        const head = `GET /healthz HTTP/1.1\r\nHost: ${name}\r\nConnection: close\r\n\r\n`;
        const socket = connect(nginxPort, address, () => socket.write(head));
        match(await text(socket), /^HTTP\/1.1 200 /, `${name} at ${address}`);
      }
  });

  await check('requests that cannot be read cost no other caller an answer', async () => {
    let isOver = false;
    const sendUnreadable = async (text: string) => {
      while (!isOver) await sendRaw(text);
    };
    const sending = UNREADABLE.map(sendUnreadable);
    const answers: unknown[] = [];
    for (let count = 0; count < 100; count += 1)
      answers.push(await askOnce(nginx.url, { query: READ }).catch(String));
    isOver = true;
    await Promise.all(sending);
    deepEqual(
      answers,
      answers.map(() => ANSWER),
    );
  });

  await check('too long a body is refused by the gateway, in its own words', async () => {
    for (let count = 0; count < 20; count += 1) {
      const response = await fetch(`${nginx.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: 'x'.repeat(1_900_000),
      });
      const text = await response.text();
      equal(response.status, 413, text);
      equal(JSON.parse(text).errors[0].extensions.code, 'BAD_REQUEST');
    }
  });

  await check('the metrics of a replica cannot be read through nginx', async () => {
    const paths = ['/metrics', '/metrics/', '/metrics?a', '/metrics/?a', '/%6detrics/'];
    for (const path of paths) {
      const response = await fetch(`${nginx.url}${path}`);
      await response.text();
      equal(response.status, 404, path);
    }
  });

  /** Answers with the headers that nginx sends. */
  const echo = stack.use(
    await serve(({ headers }, response) => void response.end(JSON.stringify(headers))),
  );
  const [port = 0] = ports;
  const echoPort = Number(new URL(echo.url).port);
  const within = await mkdtemp(join(folder, 'tls-'));
  const tls = stack.use(await startNginx(within, plainPort, [port, echoPort], tlsPort));
  const site = `https://127.0.0.1:${tlsPort}`;
  setDefaultCACertificates([readFileSync(certificateFile('authority'), 'utf8')]);

  await check('over TLS, HTTP/2 is spoken, and events and WebSockets pass', async () => {
    await tls.routeTo([port]);
    const session = connectHttp2(site);
    const json = 'application/json';
    const head = { ':method': 'POST', ':path': '/graphql', 'content-type': json };
    const post = (accept: string, query: string) =>
      session
        .request({ ...head, accept, authorization: 'Bearer ada-sample-token' })
        .end(JSON.stringify({ query }));
    const id = 'conversationId: "conv_lisbon_trip"';
    const query = `subscription { messageChanged(${id}) { message { message } } }`;
    let heard = '';
    const events = post('text/event-stream', query).on('data', (part) => {
      heard += part;
    });
    await once(events, 'response');
    const send = `mutation { sendMessage(input: { ${id}, message: "over TLS" }) { message { message } } }`;
    match(await text(post(json, send)), /"message":"over TLS"/);
    await until('the event has come', () => heard.includes('"message":"over TLS"'));
    session.destroy();
    const socket = new WebSocket(`${site}/graphql`, 'graphql-transport-ws');
    await once(socket, 'open');
    socket.close();
  });

  await check('port 80 leads to TLS, and a POST stays one', async () => {
    const options = { method: 'POST', redirect: 'manual' } as const;
    const { status, headers } = await fetch(`${tls.url}/graphql?a=b`, options);
    equal(status, 308);
    equal(headers.get('location'), 'https://127.0.0.1/graphql?a=b');
  });

  await check('nginx says who asks, whatever a client says', async () => {
    await tls.routeTo([echoPort]);
    const names = ['for', 'proto', 'host'].map((name) => `x-forwarded-${name}`);
    const headers = Object.fromEntries(names.map((name) => [name, 'made-up']));
    const got = JSON.parse(await (await fetch(site, { headers })).text());
    const values = names.map((name) => got[name]);
    deepEqual(values, ['127.0.0.1', 'https', '127.0.0.1']);
  });
} finally {
  await rm(folder, { recursive: true, force: true });
}
