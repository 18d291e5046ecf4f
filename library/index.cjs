// What `require('messaging-graphql')` loads; index.js is the same for `import`. Its top-level await cannot be required.
const { existsSync } = require('node:fs');
const { join } = require('node:path');
const tooOld = require('./too-old.cjs');

if (tooOld !== null) throw new Error(tooOld);

const source = join(__dirname, '../src/gateway.ts');

module.exports = require(existsSync(source) ? source : '../dist/library/gateway.js');
