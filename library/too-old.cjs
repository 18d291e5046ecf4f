// Plain CommonJS without new syntax, so that an old Node reads it and gives the reason instead of a syntax error.
const REQUIRED = [22, 21];
const [major, minor] = process.versions.node.split('.').map(Number);

/** Why this Node cannot run messaging-graphql, in one sentence; null if it can. */
module.exports =
  major < REQUIRED[0] || (major === REQUIRED[0] && minor < REQUIRED[1])
    ? `messaging-graphql needs Node ${REQUIRED.join('.')} or newer; this is ${process.versions.node}.`
    : null;
