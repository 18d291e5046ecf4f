import { type ExplorerSetup, SANDBOX } from '../src/operation/explorer-page.ts';
import { sharedOperation } from './shared-operation.ts';

/** The newest script of the second version, as Apollo Server's own page has it. */
const SCRIPT = `${SANDBOX.scripts}/v2/embeddable-sandbox.umd.production.min.js`;

/** How long the script may take to load, also on a slow network. Unit: milliseconds. */
const SCRIPT_MS = 5000;
/** How long its frame may take until it speaks, and how long once it has loaded: an error page loads too. Unit: milliseconds. */
const FRAME_MS = 30_000;
const LOADED_FRAME_MS = 5000;

/** What the script defines. Source: the package @apollo/sandbox. */
interface EmbeddedSandbox {
  readonly embeddedSandboxIFrameElement: HTMLIFrameElement;
  dispose(): void;
}
declare global {
  interface Window {
    EmbeddedSandbox?: new (options: object) => EmbeddedSandbox;
  }
}

/** Shows Apollo Sandbox in `room`. Resolves to whether it came to life; if not, nothing of it is left. */
export async function showSandbox(
  room: HTMLElement,
  endpoint: string,
  setup: ExplorerSetup,
): Promise<boolean> {
  if (!(await loadScript()) || window.EmbeddedSandbox === undefined) return false;
  const answers = frameSpeaks();
  room.replaceChildren();
  const sandbox = new window.EmbeddedSandbox({
    target: room,
    initialEndpoint: endpoint,
    endpointIsEditable: false,
    runTelemetry: false,
    hideCookieToggle: false,
    allowDynamicStyles: false,
    initialState: {
      ...toShown(setup),
      sharedHeaders: setup.headers,
      includeCookies: false,
      pollForSchemaUpdates: false,
    },
  });
  const loaded = new Promise<void>((resolve) => {
    sandbox.embeddedSandboxIFrameElement.addEventListener('load', () => resolve());
  });
  const isAlive = await Promise.race([
    answers,
    loaded.then(() => after(LOADED_FRAME_MS)),
    after(FRAME_MS),
  ]);
  if (!isAlive) sandbox.dispose();
  return isAlive;
}

/** Sandbox opens with one tab, which has a button for each operation of its document. */
function toShown({ operations }: ExplorerSetup) {
  const shared = sharedOperation();
  if (shared) return { document: shared.query, variables: parse(shared.variables) };
  return {
    document: operations.map(({ document }) => document).join('\n'),
    variables: Object.assign({}, ...operations.map(({ variables }) => variables)),
  };
}

function parse(variables: string): object {
  try {
    return JSON.parse(variables);
  } catch {
    return {};
  }
}

const loadScript = (): Promise<boolean> =>
  new Promise((resolve) => {
    const script = document.createElement('script');
    script.src = SCRIPT;
    script.onload = () => resolve(true);
    script.onerror = () => resolve(false);
    setTimeout(() => resolve(false), SCRIPT_MS);
    document.head.append(script);
  });

/** Sandbox asks its page for a handshake as soon as it runs. */
const frameSpeaks = (): Promise<true> =>
  new Promise((resolve) => {
    addEventListener('message', ({ origin }) => {
      if (origin === SANDBOX.frames) resolve(true);
    });
  });

const after = (milliseconds: number): Promise<false> =>
  new Promise((resolve) => setTimeout(() => resolve(false), milliseconds));
