import { request as forward } from 'node:http';
import { connect } from 'node:net';
import { pipeline } from 'node:stream';
import { serve } from './http.ts';

/** Starts an HTTP proxy on a free port that wants these credentials, if there are any: `user:password`. */
export async function startProxy(credentials?: string) {
  /** What it was asked for, as `CONNECT host:port` or `GET http://...`. */
  const asked: string[] = [];
  const wanted = credentials && `Basic ${Buffer.from(credentials).toString('base64')}`;
  const proxy = await serve((request, response) => {
    const { method, url = '', headers } = request;
    asked.push(`${method} ${url}`);
    if (headers['proxy-authorization'] !== wanted) {
      response.writeHead(407).end();
      return;
    }
    delete headers['proxy-authorization'];
    const further = forward(url, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(response);
    });
    request.pipe(further);
  });
  proxy.server.on('connect', ({ url, headers }, socket) => {
    asked.push(`CONNECT ${url}`);
    if (headers['proxy-authorization'] !== wanted) {
      socket.end('HTTP/1.1 407 No\r\n\r\n');
      return;
    }
    const { hostname, port } = new URL(`http://${url}`);
    const target = connect(Number(port), hostname);
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    pipeline(target, socket, target, () => {});
  });
  const url = proxy.url.replace('//', credentials ? `//${credentials}@` : '//');
  return { ...proxy, url, asked };
}
