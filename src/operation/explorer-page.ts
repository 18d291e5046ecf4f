export const EXPLORERS = ['sandbox', 'local'] as const;
/** The page that a browser gets at /graphql; false: none. */
export type Explorer = (typeof EXPLORERS)[number] | false;

export interface ExplorerOperation {
  readonly document: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** The data that the page passes to its script, `explorer/start.ts`. */
export interface ExplorerSetup {
  /** Whether to try Apollo Sandbox before the bundled explorer. */
  readonly sandbox: boolean;
  /** What to open with: one tab for each. */
  readonly operations: readonly ExplorerOperation[];
  /** Headers to send with every operation. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Where Apollo serves Sandbox: its script, and the frame that the script opens. */
export const SANDBOX = {
  scripts: 'https://embeddable-sandbox.cdn.apollographql.com',
  frames: 'https://sandbox.embed.apollographql.com',
} as const;

/**
 * The page at /graphql, with the operations that it opens with, and the token that it sends with them. Its script's address is
 * relative, because a proxy may serve the gateway below a path of its own.
 */
export function explorerPage(
  explorer: Exclude<Explorer, false>,
  operations: readonly ExplorerOperation[],
  token: string,
): string {
  const sandbox = explorer === 'sandbox';
  const setup: ExplorerSetup = {
    sandbox,
    operations,
    headers: { Authorization: `Bearer ${token}` },
  };
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy(sandbox)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>GraphQL explorer</title>
<style>
html, body, #explorer { height: 100%; margin: 0; }
iframe { display: block; width: 100%; height: 100%; border: 0; background: white; }
#explorer > p { padding: 1em; font-family: sans-serif; animation: wait 3s step-end; }
@keyframes wait { from { opacity: 0; } }
</style>
<script type="application/json" id="setup">${toScriptText(setup)}</script>
<script type="module" src="explorer/start.js"></script>
</head>
<body>
<div id="explorer"><p>The explorer needs JavaScript, and the files that <code>npm run build:explorer</code> makes. It is
loading, or one of them is missing.</p></div>
</body>
</html>
`;
}

/**
 * Only the gateway's own files run as scripts, and without eval; with Sandbox, Apollo's too. The bundled explorer's editor
 * makes style sheets as it runs, and its fonts are in its style sheet. The header of every answer forbids frames around it.
 */
function policy(sandbox: boolean): string {
  return [
    "default-src 'none'",
    `script-src 'self'${sandbox ? ` ${SANDBOX.scripts}` : ''}`,
    "style-src 'self' 'unsafe-inline'",
    "font-src 'self' data:",
    "img-src 'self' data:",
    "connect-src 'self'",
    "worker-src 'self'",
    `frame-src ${sandbox ? SANDBOX.frames : "'none'"}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}

/** JSON that cannot end the element around it, whatever its texts contain. */
const toScriptText = (value: object): string =>
  JSON.stringify(value).replaceAll('<', '\\u003c');
