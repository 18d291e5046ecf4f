/** Runs in a thread beside the attacker: the service behind the attacked gateway, and B. */
import { parentPort } from 'node:worker_threads';
import type { Service } from '../genome/genome.ts';
import { type Bystander, startBystander } from './bystander.ts';
import { startAttackService } from './service.ts';

const service = await startAttackService();
let bystander: Bystander | null = null;

const methods = {
  serviceUrl: () => service.url,
  behave: (next: Service | null) => service.behave(next),
  calls: () => service.calls(),
  startB(url: string, expected: string | null) {
    bystander = startBystander(url, expected);
  },
  stopB: () => bystander?.stop(),
};

/** The name of a method, and what it is given. */
type Question = readonly [name: keyof typeof methods, ...given: never[]];

parentPort?.on('message', async ([name, ...given]: Question) => {
  const answer = await (methods[name] as (...given: never[]) => unknown)(...given);
  parentPort?.postMessage(answer);
});
